#include "plan/explain.h"

#include <fmt/format.h>

#include <iterator>

#include "base/units.h"

namespace surety::plan {
namespace {

constexpr std::size_t kBandsShown = 5;

const char* name_of(Metric metric) {
  switch (metric) {
    case Metric::kValidationLoss:
      return "validation loss";
    case Metric::kAccuracy:
      return "accuracy";
    case Metric::kDualityGap:
      return "duality gap";
  }
  return "metric";
}

std::string duration(double seconds) { return format_duration(from_seconds(seconds)); }

class Text {
 public:
  explicit Text(const Promise& promise) : promise_(promise) {}

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  // A metric of the planner as the user knows it.
  [[nodiscard]] double shown(double metric) const {
    return promise_.metric == Metric::kAccuracy ? 1 - metric : metric;
  }

  void add_promise() {
    line("promised   {} {} {:.4g} with probability {:.4g} % within {}", name_of(promise_.metric),
         promise_.metric == Metric::kAccuracy ? ">=" : "<=", promise_.target,
         100 * promise_.probability, duration(promise_.deadline_s));
    if (promise_.budget) line("           for at most {:.4g}", *promise_.budget);
  }

  void add_blocks(const Plan& plan) {
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      const Block& block = plan.blocks[i];
      const bool last = i + 1 == plan.blocks.size();
      line("{} {} on {} {}, {} a pass: {} {} {}", i == 0 ? "train     " : "then      ",
           block.version, block.nodes, block.nodes == 1 ? "node" : "nodes", duration(block.pass_s),
           last ? "until the target is met, at most" : "for", block.passes,
           last ? "passes in 95 % of the runs" : "passes");
    }
    line("stop       at {:.4g} on the deciding data", shown(plan.stop_metric));
    if (plan.data.empty()) return;
    std::string names;
    for (const std::string& name : plan.data) names += (names.empty() ? "" : ", ") + name;
    line("data       {}", names);
  }

  void add_numbers(const Plan& plan) {
    line("cost       {:.4g} on average, {:.4g} at most in 95 % of the runs", plan.cost_mean,
         plan.cost_95);
    line("time       {} on average, {} at most in 95 % of the runs", duration(plan.seconds_mean),
         duration(plan.seconds_95));
    line(
        "succeeds   with probability {:.1f} %; the profile supports {:.1f} % with confidence "
        "{:.4g} %",
        100 * plan.probability, 100 * plan.probability_lower, 100 * promise_.confidence);
  }

  void add_bands(const Plan& plan) {
    if (plan.bands.size() < 2) return;
    line("");
    line("{:>12} {:>12} {:>12} {:>12}", "after", "5 %", "median", "95 %");
    for (std::size_t i = 1; i <= kBandsShown; ++i) {
      const Band& band = plan.bands[(plan.bands.size() - 1) * i / kBandsShown];
      line("{:>12} {:>12.4g} {:>12.4g} {:>12.4g}", duration(band.seconds), shown(band.q05),
           shown(band.q50), shown(band.q95));
    }
  }

  void add_runners_up(const Plan& plan) {
    if (plan.runners_up.empty()) return;
    line("");
    line("{:>12} {:>12}  {}", "cost", "probability", "instead");
    for (const Candidate& candidate : plan.runners_up) {
      line("{:>12.4g} {:>11.1f}%  {}", candidate.cost_mean, 100 * candidate.probability,
           candidate.what);
    }
  }

  void add_assumptions(const Plan& plan) {
    bool first = true;
    for (const Assumption& assumption : plan.assumptions) {
      if (assumption.passed) continue;
      if (first) line("");
      first = false;
      line("not sure:  {} ({}): {}", assumption.name, assumption.test, assumption.found);
    }
  }

  void add_plan(const Plan& plan) {
    add_blocks(plan);
    add_numbers(plan);
    line("why        {}", plan.reason);
    add_bands(plan);
    add_runners_up(plan);
    add_assumptions(plan);
  }

  void add_infeasible(const Infeasible& infeasible) {
    line("infeasible {}: {}", infeasible.reason_class, infeasible.reason);
    line("");
    line("The nearest promises that can be kept, each with all else as promised:");
    if (infeasible.target) line("  target       {:.4g}", *infeasible.target);
    if (infeasible.probability) line("  probability  {:.4g} %", 100 * *infeasible.probability);
    if (infeasible.deadline_s) line("  deadline     {}", duration(*infeasible.deadline_s));
    if (infeasible.budget) line("  budget       {:.4g}", *infeasible.budget);
    if (!infeasible.target && !infeasible.probability && !infeasible.deadline_s &&
        !infeasible.budget) {
      line("  none: no single change is enough");
    }
    if (!infeasible.best_effort) return;
    line("");
    line("What comes closest:");
    add_plan(*infeasible.best_effort);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  const Promise& promise_;
  std::string text_;
};

}  // namespace

std::string explain(const Decision& decision, const Promise& promise) {
  Text text(promise);
  text.add_promise();
  if (const Plan* plan = std::get_if<Plan>(&decision)) {
    text.add_plan(*plan);
  } else {
    text.add_infeasible(std::get<Infeasible>(decision));
  }
  return text.take();
}

}  // namespace surety::plan
