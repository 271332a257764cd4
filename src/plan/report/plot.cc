#include "plan/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include "base/words.h"
#include "page/html.h"
#include "page/page_style.h"
#include "page/svg.h"
#include "plan/plan_text.h"
#include "plan/report/plot_charts.h"
#include "plan/report/plot_style.h"
#include "plan/words.h"

namespace surety::plan {
namespace {

using page::escape;
using page::paragraph;
using page::section;
using page::sentence;

constexpr std::size_t kDataNamesPlotted = 12;

struct Column {
  const char* heading;
  bool number = false;
};

// Cells contain HTML. The first cell of a row is its heading.
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {
    html_ = "<div class=\"scroll\"><table class=\"stack\"><thead><tr>";
    for (const Column& column : columns_) {
      html_ += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"number\"" : "",
                           column.heading);
    }
    html_ += "</tr></thead><tbody>\n";
  }

  void row(const std::vector<std::string>& cells, bool ours = false) {
    html_ += ours ? "<tr class=\"ours\">" : "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = columns_.at(i);
      const char* css_class = column.number ? "number" : "text";
      html_ += i == 0 ? fmt::format("<th scope=\"row\" class=\"{}\">{}</th>", css_class, cells[i])
                      : fmt::format("<td class=\"{}\" data-label=\"{}\">{}</td>", css_class,
                                    column.heading, cells[i]);
    }
    html_ += "</tr>\n";
  }

  [[nodiscard]] std::string finish() { return std::move(html_) + "</tbody></table></div>\n"; }

 private:
  std::vector<Column> columns_;
  std::string html_;
};

std::string probability_cell(const Claims& claims, const Promise& promise) {
  std::string out = fmt::format(
      "<p><strong>{}</strong> of simulated runs reach the target in time; the profile supports {} "
      "with confidence {}{}.</p>",
      percent(claims.probability), percent(claims.probability_lower),
      chosen_percent(promise.confidence),
      claims.probability_lower < promise.probability ? ", <strong>less than promised</strong>"
                                                     : "");
  const Support& support = claims.support;
  if (support.seeds == 0) return out;
  const auto add = [&out](const std::string& words) {
    if (!words.empty()) out += fmt::format("<p>{}.</p>", escape(sentence(words)));
  };
  const auto bound = [&out](BoundKind kind, double at_least, const std::string& because) {
    out += fmt::format("<p><strong>{}</strong> by {}, {}.</p>", percent(at_least), name_of(kind),
                       escape(because));
  };
  bound(BoundKind::kPercentileMargin, support.percentile, percentile_words(support));
  add(most_supported_words(support));
  if (support.held_out_runs == 0) return out;
  bound(BoundKind::kLearnThenTest, support.held_out, held_out_words(support));
  add(more_seeds_words(claims, promise));
  return out;
}

std::string data_cell(const Plan& plan) {
  std::string names;
  for (std::size_t i = 0; i < std::min(plan.data.size(), kDataNamesPlotted); ++i) {
    names += (i == 0 ? "" : ", ") + escape(plan.data[i]);
  }
  if (plan.data.size() <= kDataNamesPlotted) return names;
  return fmt::format("{} and {} more", names, plan.data.size() - kDataNamesPlotted);
}

std::string facts(const Plan& plan, const Promise& promise) {
  std::string rows;
  const auto row = [&](std::string_view name, const std::string& html) {
    rows +=
        fmt::format("<tr><th scope=\"row\">{}</th><td class=\"text\">{}</td></tr>\n", name, html);
  };
  row("Planner",
      fmt::format("<strong>{}</strong>: {}.", name_of(plan.planner), what_it_does(plan.planner)));
  if (const auto& claims = plan.claims) {
    row("Cost", fmt::format("<strong>{}</strong> on average, at most {} in 95&nbsp;% of the runs",
                            money(claims->cost_mean), money(claims->cost_95)));
    row("Time", fmt::format("<strong>{}</strong> on average, at most {} in 95&nbsp;% of the runs",
                            time_words(claims->seconds_mean), time_words(claims->seconds_95)));
    row("Probability", probability_cell(*claims, promise));
  }
  row("Good enough", escape(sentence(good_enough_words(plan, promise))) + ".");
  if (!plan.data.empty()) row("Data", data_cell(plan));
  if (!plan.reason.empty()) row("Why this plan", escape(sentence(plan.reason)) + ".");
  return "<table class=\"facts\"><tbody>\n" + rows + "</tbody></table>\n";
}

std::string swatch(std::size_t layer) {
  return fmt::format(
      "<svg class=\"swatch\" viewBox=\"0 0 24 16\" aria-hidden=\"true\">"
      "<rect class=\"layer-{0}\" width=\"24\" height=\"16\"/>"
      "<rect class=\"hatch-{0}\" width=\"24\" height=\"16\"/></svg>",
      layer);
}

std::string blocks_table(const Plan& plan, const std::vector<Usage>& usage) {
  const bool chooses = plan.planner == Planner::kClosedLoop;
  HtmlTable table({{"Version and nodes"},
                   {"A pass takes", true},
                   {chooses ? "Passes where used" : "Passes planned", true},
                   {"Passes on average", true},
                   {"Share of the cost", true}});
  double cost = 0;
  for (const Usage& one : usage) cost += one.cost_mean;
  for (std::uint32_t i = 0; i < plan.blocks.size(); ++i) {
    const Block& block = plan.blocks[i];
    const auto used = std::ranges::find(usage, i, &Usage::block);
    const bool any = used != usage.end();
    if (!any && chooses && !usage.empty()) continue;
    const bool first = chooses && i == plan.first_block;
    table.row({escape(block_text(block)) + (first ? " <em>(starts here)</em>" : ""),
               block.pass_s ? time_words(*block.pass_s) : "–", fmt::format("{}", block.passes),
               any ? fmt::format("{:.1f}", used->passes_mean) : "–",
               any && cost > 0 ? percent(used->cost_mean / cost) : "–"});
  }
  return table.finish();
}

std::string schedule(const Plan& plan) {
  std::string out = blocks_table(plan, plan.claims ? plan.claims->usage : std::vector<Usage>());
  const std::string chart = schedule_chart(plan);
  if (chart.empty()) return out;
  out += "<figure>\n" + chart + "<figcaption>";
  const std::vector<Layer> layers = layers_of(plan);
  for (std::size_t k = 0; k < layers.size(); ++k) {
    out += fmt::format("<span class=\"text\">{}{} {}</span>", swatch(k + 1), layers[k].letter,
                       escape(layers[k].name));
  }
  return out + "<span>the remaining runs have stopped</span></figcaption>\n</figure>\n";
}

std::string bands(const Claims& claims, const Promise& promise) {
  const std::string chart = bands_chart(claims, promise);
  if (chart.empty()) return {};
  std::string out = "<figure>\n" + chart +
                    "<figcaption><span class=\"key\">median of the simulated runs</span>"
                    "<span class=\"key k-edge\">5 to 95 % of them</span>"
                    "<span class=\"key k-target\">target</span>";
  if (!deadline_in_picture(claims, promise)) {
    out += fmt::format("<span>the deadline, {}, is far outside the chart</span>",
                       time_words(promise.deadline_s));
  }
  return out + "</figcaption>\n</figure>\n";
}

std::string frontier(const Claims& claims, const Promise& promise) {
  const std::string chart = frontier_chart(claims, promise);
  if (chart.empty()) return {};
  std::string out =
      "<figure>\n" + chart +
      "<figcaption><span class=\"key\">the cheapest plan that was found for each promise</span>"
      "<span>▲ keeps the promise too</span><span>✕ too unlikely</span>"
      "<span>letters: the plans below</span></figcaption>\n</figure>\n";
  if (!claims.prices.empty()) {
    HtmlTable table({{"Promised", true},
                     {"Mean cost", true},
                     {"Against this plan", true},
                     {"Simulated probability", true}});
    for (const PricePoint& point : claims.prices) {
      table.row({percent(point.promised), money(point.cost_mean),
                 claims.cost_mean > 0 ? more_or_less(point.cost_mean / claims.cost_mean) : "",
                 percent(point.probability)},
                std::abs(point.promised - promise.probability) < 1e-9);
    }
    out += table.finish();
  }
  return out;
}

std::string runners_up(const Claims& claims, const Promise& promise) {
  if (claims.runners_up.empty()) return {};
  HtmlTable table({{"Plan"},
                   {"Mean cost", true},
                   {"Against this plan", true},
                   {"Probability", true},
                   {"Keeps the promise"}});
  for (std::size_t i = 0; i < claims.runners_up.size(); ++i) {
    const Candidate& candidate = claims.runners_up[i];
    table.row({letter_of(i) + ". " + escape(candidate.what), money(candidate.cost_mean),
               claims.cost_mean > 0 ? more_or_less(candidate.cost_mean / claims.cost_mean) : "",
               percent(candidate.probability),
               candidate.probability >= promise.probability ? "<span class=\"pass\">✓ yes</span>"
                                                            : "<span class=\"fail\">✕ no</span>"});
  }
  return table.finish();
}

std::string assumptions(const Claims& claims) {
  if (claims.assumptions.empty()) return {};
  HtmlTable table({{"Assumption"}, {"Test"}, {"Found"}, {"Holds"}});
  for (const Assumption& one : claims.assumptions) {
    table.row(
        {escape(one.name), escape(one.test), escape(one.found),
         one.passed ? "<span class=\"pass\">✓ yes</span>" : "<span class=\"fail\">✕ no</span>"});
  }
  return table.finish();
}

std::string plan_sections(const Plan& plan, const Promise& promise) {
  const bool chooses = plan.planner == Planner::kClosedLoop;
  const std::string out =
      section(chooses ? "What it trains, and when" : "The schedule", schedule(plan));
  if (!plan.claims) return out;
  const Claims& claims = *plan.claims;
  return out +
         section("How the " + metric_words(promise.metric) + " should develop",
                 bands(claims, promise)) +
         section("What each probability costs", frontier(claims, promise)) +
         section("What else was considered", runners_up(claims, promise)) +
         section("What the plan assumes", assumptions(claims));
}

std::string nearest(const Infeasible& infeasible, const Promise& promise) {
  HtmlTable table({{"Change"}, {"From", true}, {"To", true}});
  bool any = false;
  const auto row = [&](const char* what, const std::string& from, const std::string& to) {
    table.row({what, from, to});
    any = true;
  };
  if (infeasible.deadline_s) {
    row("Deadline", time_words(promise.deadline_s), time_words(*infeasible.deadline_s));
  }
  if (infeasible.target) {
    row("Target", short_number(promise.target), short_number(*infeasible.target));
  }
  if (infeasible.probability) {
    row("Probability", chosen_percent(promise.probability), percent(*infeasible.probability));
  }
  if (infeasible.budget) {
    row("Budget", promise.budget ? short_number(*promise.budget) : "–",
        short_number(*infeasible.budget));
  }
  if (infeasible.seeds) {
    const auto& effort = infeasible.best_effort;
    const std::uint32_t seeds = effort && effort->claims ? effort->claims->support.seeds : 0;
    row("Seeds in the profile", seeds > 0 ? fmt::format("{}", seeds) : "–",
        fmt::format("{}", *infeasible.seeds));
  }
  if (!any) return paragraph("No single change of the promise is enough.");
  return paragraph("Any one of these changes is enough, with everything else as promised.") +
         table.finish();
}

std::string head(std::string_view job_name, bool feasible, const std::string& promise,
                 const std::string& body) {
  return fmt::format(
      "<header>\n<p class=\"over\">{} · plan</p>\n<div class=\"verdict {}\">\n<h1>{}</h1>\n{}{}"
      "</div>\n</header>\n",
      escape(job_name), feasible ? "kept" : "infeasible",
      feasible ? "The promise can be kept" : "The promise cannot be kept",
      paragraph("Promised: " + promise + "."), body);
}

std::string infeasible_body(const Infeasible& infeasible) {
  std::string out =
      fmt::format("<ul>\n<li><strong>{}</strong>: {}.</li>\n", name_of(infeasible.reason_class),
                  meaning_of(infeasible.reason_class));
  if (!infeasible.reason.empty()) {
    out += fmt::format("<li class=\"text\">{}.</li>\n", escape(sentence(infeasible.reason)));
  }
  return out + "</ul>\n";
}

}  // namespace

std::string plan_html(const Decision& decision, const Promise& promise,
                      const std::string& job_name) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: plan</title>\n<style>{}{}</style>\n</head>\n<body>\n<main id=\"page\">\n{}",
      escape(job_name), page::page_style(), plot_style(), plot_hatches());
  if (const Plan* plan = std::get_if<Plan>(&decision)) {
    out += head(job_name, true, promise_words(promise), "");
    out += facts(*plan, promise) + plan_sections(*plan, promise);
  } else {
    const Infeasible& infeasible = std::get<Infeasible>(decision);
    out += head(job_name, false, promise_words(promise), infeasible_body(infeasible));
    out += section("The nearest promises", nearest(infeasible, promise));
    if (const Plan* const closest = infeasible.closest()) {
      out += section("What comes closest", facts(*closest, promise)) +
             plan_sections(*closest, promise);
    }
  }
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace surety::plan
