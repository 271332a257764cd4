#include "plan/report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include "base/words.h"
#include "plan/plan_text.h"
#include "plan/report/text_page.h"
#include "plan/words.h"

namespace surety::plan {
namespace {

constexpr std::size_t kBandsShown = 5;
constexpr std::size_t kDataNamesShown = 6;

using Rows = std::vector<std::vector<std::string>>;

class Explanation {
 public:
  explicit Explanation(const Promise& promise) : promise_(promise) {}

  void add_promise() { page_.item("Promise", promise_words(promise_)); }

  void add_reserved(const Reserved& reserved) {
    std::string parts = fmt::format(
        "{} of the {} to start the workers (at most twice as long as those of the profile) and to "
        "certify the result",
        time_words(reserved.seconds), time_words(promise_.deadline_s));
    if (promise_.budget) {
      parts += fmt::format("; {} of the budget of {} to certify it", short_number(reserved.cost),
                           short_number(*promise_.budget));
    }
    page_.item("Reserved", parts);
  }

  void add_plan(const Plan& plan) {
    page_.item("Plan", fmt::format("{}: {}", name_of(plan.planner), what_it_does(plan.planner)));
    if (!plan.data.empty()) page_.item("  data", data_words(plan));
    if (plan.planner == Planner::kClosedLoop && plan.claims) {
      add_choices(plan, plan.claims->usage);
    } else {
      add_schedule(plan);
    }
    page_.item("  enough", good_enough_words(plan, promise_));
    if (plan.claims) add_numbers(*plan.claims);
    if (!plan.reason.empty()) page_.item("Why", plan.reason);
    if (!plan.claims) return;
    add_prices(*plan.claims);
    add_bands(*plan.claims);
    add_runners_up(*plan.claims);
    add_assumptions(*plan.claims);
  }

  void add_infeasible(const Infeasible& infeasible) {
    page_.item("Infeasible", fmt::format("{}: {}", name_of(infeasible.reason_class),
                                         meaning_of(infeasible.reason_class)));
    page_.item("", infeasible.reason);
    add_nearest(infeasible);
    const Plan* const closest = infeasible.closest();
    if (closest == nullptr) return;
    page_.blank();
    page_.item("What comes closest, though it does not keep the promise:", "");
    if (infeasible.probability) {
      page_.item("", "(the changes above have other plans, so their probabilities differ)");
    }
    add_plan(*closest);
  }

  [[nodiscard]] std::string take() { return page_.take(); }

 private:
  static std::string data_words(const Plan& plan) {
    std::string names;
    for (std::size_t i = 0; i < std::min(plan.data.size(), kDataNamesShown); ++i) {
      names += (i == 0 ? "" : ", ") + plan.data[i];
    }
    if (plan.data.size() <= kDataNamesShown) return names;
    return fmt::format("{} and {} more", names, plan.data.size() - kDataNamesShown);
  }

  void add_numbers(const Claims& claims) {
    page_.item("Cost", fmt::format("{} on average, at most {} in 95 % of the runs",
                                   money(claims.cost_mean), money(claims.cost_95)));
    page_.item("Time", fmt::format("{} on average, at most {} in 95 % of the runs",
                                   time_words(claims.seconds_mean), time_words(claims.seconds_95)));
    add_support(claims);
  }

  // The blocks among which a closed-loop plan chooses, if simulated runs use them.
  void add_choices(const Plan& plan, const std::vector<Usage>& used) {
    if (plan.first_block >= plan.blocks.size()) return;
    const std::string first = block_text(plan.blocks[plan.first_block]);
    page_.item("  choices",
               plan.blocks.size() == 1
                   ? fmt::format("there is only one, {}:", first)
                   : fmt::format("it starts with {} and may change to any of these:", first));
    double cost = 0;
    for (const Usage& usage : used) cost += usage.cost_mean;
    Rows rows;
    for (const Usage& usage : used) {
      const Block& block = plan.blocks.at(usage.block);
      rows.push_back({block.pass_s ? time_words(*block.pass_s) : "",
                      fmt::format("{:.1f}", usage.passes_mean),
                      percent(cost > 0 ? usage.cost_mean / cost : 0), block_text(block)});
    }
    if (!rows.empty()) {
      page_.table({{"a pass takes"},
                   {"passes on average"},
                   {"share of the cost"},
                   {"version and nodes", false}},
                  rows);
    }
    const std::size_t unused = plan.blocks.size() - std::min(plan.blocks.size(), rows.size());
    if (unused > 0) {
      page_.item("", fmt::format("and {} that no simulated run needed", counted(unused, "other")));
    }
  }

  void add_schedule(const Plan& plan) {
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      const Block& block = plan.blocks[i];
      const bool last = i + 1 == plan.blocks.size();
      page_.item(
          i == 0 ? "  train" : "  then",
          fmt::format("{}{}{}{}", block_text(block),
                      last ? "" : " for " + counted(block.passes, "pass"),
                      block.pass_s ? fmt::format(", {} a pass", time_words(*block.pass_s)) : "",
                      last ? fmt::format(", until it is good enough: at most {} in 95 % of "
                                         "the runs",
                                         counted(block.passes, "pass"))
                           : ""));
    }
  }

  void add_support(const Claims& claims) {
    page_.item(
        "Probability",
        fmt::format("{} of simulated runs reach the target in time; the profile supports {} "
                    "with confidence {}{}",
                    percent(claims.probability), percent(claims.probability_lower),
                    chosen_percent(promise_.confidence),
                    claims.probability_lower < promise_.probability ? ", less than promised" : ""));
    const Support& support = claims.support;
    if (support.seeds == 0) return;
    add_bound("  supported", BoundKind::kPercentileMargin, support.percentile,
              percentile_words(support));
    const std::string most = most_supported_words(support);
    if (!most.empty()) page_.item("", most);
    if (support.held_out_runs == 0) return;
    add_bound("  by counts", BoundKind::kLearnThenTest, support.held_out, held_out_words(support));
    const std::string more = more_seeds_words(claims, promise_);
    if (!more.empty()) page_.item("", more);
  }

  void add_bound(std::string_view label, BoundKind kind, double at_least,
                 const std::string& because) {
    page_.item(label,
               fmt::format("at least {} by {}, {}", percent(at_least), name_of(kind), because));
  }

  void add_prices(const Claims& claims) {
    if (claims.prices.empty()) return;
    heading("What each probability costs: the cheapest plan that was found for it");
    Rows rows;
    for (const PricePoint& point : claims.prices) {
      const bool ours = std::abs(point.promised - promise_.probability) < 1e-9;
      rows.push_back({percent(point.promised), money(point.cost_mean),
                      claims.cost_mean > 0 ? more_or_less(point.cost_mean / claims.cost_mean) : "",
                      percent(point.probability), ours ? "<- promised" : ""});
    }
    page_.table({{"promised"}, {"mean cost"}, {"against this plan"}, {"simulated"}, {"", false}},
                rows);
  }

  void add_bands(const Claims& claims) {
    if (claims.bands.size() < 2) return;
    heading(fmt::format("Where the {} should be: the best and the worst of 20 runs, and the median",
                        metric_words(promise_.metric)));
    Rows rows;
    for (std::size_t i = 1; i <= kBandsShown; ++i) {
      const Band& band = claims.bands[(claims.bands.size() - 1) * i / kBandsShown];
      rows.push_back({time_words(band.seconds), shown(band.q05), shown(band.q50), shown(band.q95)});
    }
    page_.table({{"after"}, {"best 5 %"}, {"median"}, {"worst 5 %"}}, rows);
  }

  void add_runners_up(const Claims& claims) {
    if (claims.runners_up.empty()) return;
    heading("What else was considered");
    Rows rows;
    for (const Candidate& candidate : claims.runners_up) {
      rows.push_back(
          {money(candidate.cost_mean),
           claims.cost_mean > 0 ? more_or_less(candidate.cost_mean / claims.cost_mean) : "",
           percent(candidate.probability),
           candidate.probability >= promise_.probability ? "" : "too low", candidate.what});
    }
    page_.table(
        {{"mean cost"}, {"against this plan"}, {"probability"}, {"", false}, {"plan", false}},
        rows);
  }

  void add_assumptions(const Claims& claims) {
    if (claims.assumptions.empty()) return;
    const auto held = std::ranges::count(claims.assumptions, true, &Assumption::passed);
    page_.blank();
    page_.item("Assumptions",
               fmt::format("{} of {} hold{}", held, claims.assumptions.size(),
                           static_cast<std::size_t>(held) == claims.assumptions.size()
                               ? ""
                               : "; the numbers above may be wrong if one does not hold:"));
    for (const Assumption& assumption : claims.assumptions) {
      if (assumption.passed) continue;
      page_.item("  not met",
                 fmt::format("{} ({}): {}", assumption.name, assumption.test, assumption.found));
    }
  }

  void add_nearest(const Infeasible& infeasible) {
    page_.blank();
    Rows rows;
    const auto row = [&](const char* what, std::string promised, std::string nearest) {
      rows.push_back({what, std::move(promised), std::move(nearest)});
    };
    if (infeasible.deadline_s) {
      row("deadline", time_words(promise_.deadline_s), time_words(*infeasible.deadline_s));
    }
    if (infeasible.target) {
      row("target", short_number(promise_.target), short_number(*infeasible.target));
    }
    if (infeasible.probability) {
      row("probability", chosen_percent(promise_.probability), percent(*infeasible.probability));
    }
    if (infeasible.budget) {
      row("budget", promise_.budget ? short_number(*promise_.budget) : "none",
          short_number(*infeasible.budget));
    }
    if (infeasible.seeds) {
      row("profile", profiled_words(infeasible), counted(*infeasible.seeds, "seed"));
    }
    if (rows.empty()) {
      page_.item("Nearest", "no single change of the promise is enough");
      return;
    }
    page_.item("Nearest", "any one of these changes is enough, with everything else as promised:");
    page_.table({{"change", false}, {"from"}, {"to"}}, rows);
  }

  static std::string profiled_words(const Infeasible& infeasible) {
    const auto& effort = infeasible.best_effort;
    const std::uint32_t seeds = effort && effort->claims ? effort->claims->support.seeds : 0;
    return seeds == 0 ? "" : counted(seeds, "seed");
  }

  void heading(std::string_view words) {
    page_.blank();
    page_.item("", words);
  }

  [[nodiscard]] std::string shown(double metric) const {
    return short_number(shown_metric(promise_.metric, metric));
  }

  const Promise& promise_;
  TextPage page_;
};

}  // namespace

std::string explain(const Decision& decision, const Promise& promise, const Reserved& reserved) {
  Explanation explanation(promise);
  explanation.add_promise();
  const bool is_room =
      reserved.seconds < promise.deadline_s && (!promise.budget || reserved.cost < *promise.budget);
  if (reserved.seconds > 0 && is_room) explanation.add_reserved(reserved);
  if (const Plan* plan = std::get_if<Plan>(&decision)) {
    explanation.add_plan(*plan);
  } else {
    explanation.add_infeasible(std::get<Infeasible>(decision));
  }
  return explanation.take();
}

}  // namespace surety::plan
