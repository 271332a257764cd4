#include "certificate/report.h"

#include <algorithm>

#include "certificate/record_text.h"
#include "certificate/report_charts.h"
#include "page/html.h"
#include "page/page_style.h"
#include "page/svg.h"

namespace surety::certificate {
namespace {

using page::escape;
using page::paragraph;
using page::section;
using page::sentence;

std::string head(const RunRecord& record) {
  std::string out = fmt::format(
      "<header>\n<p class=\"over\">{} · {}{}</p>\n<div class=\"verdict {}\">\n<h1>{}</h1>\n",
      escape(record.job), escape(record.run),
      record.started.empty() ? "" : " · started " + escape(record.started),
      name_of(verdict(record)), headline(record));
  const std::vector<std::string> reasons = explanation(record);
  if (reasons.empty()) {
    out += fmt::format("<p>{} {} was promised by {} after the start, and certified after {}.</p>\n",
                       escape(sentence(metric_words(record.promise.metric))),
                       short_number(record.promise.target), time_words(record.deadline_s),
                       time_words(record.run_seconds));
  } else {
    out += "<ul>\n";
    for (const std::string& reason : reasons) {
      out += fmt::format("<li class=\"text\">{}</li>\n", escape(sentence(reason)));
    }
    out += "</ul>\n";
  }
  // After a refusal, this line would repeat the reason.
  if (!record.stop_reason.empty() && verdict(record) != Verdict::kInfeasible) {
    out += paragraph("Training stopped: " + stop_words(record));
  }
  return out + "</div>\n</header>\n";
}

std::string comparison_table(const RunRecord& record) {
  const std::vector<Comparison> rows = comparisons(record);
  const bool planned = has_planned(rows);
  std::string out = fmt::format(
      "<table class=\"stack\"><thead><tr><th scope=\"col\">What</th><th scope=\"col\">Promised</th>"
      "{}<th scope=\"col\">Reached</th></tr></thead><tbody>\n",
      planned ? "<th scope=\"col\">Planned</th>" : "");
  for (const Comparison& row : rows) {
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td data-label=\"Promised\">{}</td>{}"
        "<td data-label=\"Reached\">{}</td></tr>\n",
        escape(sentence(row.what)), escape(row.promised),
        planned ? fmt::format("<td data-label=\"Planned\">{}</td>", escape(row.planned)) : "",
        escape(row.reached));
  }
  out += "</tbody></table>\n";
  for (const std::string& note : notes(record)) {
    out += fmt::format("<p class=\"note\">{}</p>\n", escape(sentence(note)));
  }
  return out;
}

std::string warnings(const RunRecord& record) {
  if (record.warnings.empty()) return {};
  std::string out;
  for (const std::string& warning : record.warnings) out += paragraph(sentence(warning));
  return section("Warnings about the data", out);
}

struct Legend {
  const char* css_class;
  std::string words;
};

std::string figure(const std::string& chart, const std::vector<Legend>& legend) {
  std::string out = "<figure>\n" + chart + "<figcaption>";
  for (const Legend& entry : legend) {
    out += fmt::format("<span class=\"key {}\">{}</span>", entry.css_class, escape(entry.words));
  }
  return out + "</figcaption>\n</figure>\n";
}

std::string learning(const RunRecord& record) {
  const std::string chart = metric_chart(record);
  const std::string title =
      sentence(metric_words(record.promise.metric)) +
      (record.promise.metric == plan::Metric::kAccuracy ? " (more is better)"
                                                        : " (less is better)");
  if (chart.empty()) return section(title, paragraph("No evaluation was made."));
  const bool exact = record.promise.metric == plan::Metric::kDualityGap;
  std::vector<Legend> legend{{"k-point", exact ? "measured" : "measured ± 2 standard errors"}};
  if (const plan::Claims* const claims = claims_of(record); claims && !claims->bands.empty()) {
    legend.push_back({"k-band", "planned, 5 to 95 %"});
    legend.push_back({"k-median", "planned median"});
  }
  if (const auto costs = attempt_costs(record); costs && costs->attempts > 1) {
    legend.push_back(
        {"k-point", fmt::format("{} attempts, a line each{}", costs->attempts,
                                record.certified ? "; the thick one is of the final model" : "")});
  }
  legend.push_back({"k-target", "target"});
  const auto& all = record.measurements;
  const bool switches = std::ranges::any_of(
      all, [&](const Measurement& one) { return one.version != all.front().version; });
  if (switches) legend.push_back({"k-switch", "version changes"});
  return section(title, figure(chart, legend));
}

// One row for each category, with a bar as long as its share.
std::string spending_table(const std::vector<SpendingPart>& parts) {
  double cost = 0;
  double seconds = 0;
  for (const SpendingPart& part : parts) {
    cost += part.cost;
    seconds += part.seconds;
  }
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Use</th>"
      "<th scope=\"col\" class=\"number\">Time</th><th scope=\"col\" class=\"number\">Cost</th>"
      "<th scope=\"col\">Share</th></tr></thead><tbody>\n";
  for (const SpendingPart& part : parts) {
    const double share = cost > 0 ? part.cost / cost : seconds > 0 ? part.seconds / seconds : 0;
    out += fmt::format(
        "<tr><th scope=\"row\" class=\"text\">{}</th><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"share\"><div class=\"bar\" "
        "style=\"width:{:.1f}%\"></div>{}</td></tr>\n",
        escape(sentence(part.what)), part.seconds > 0 ? time_words(part.seconds) : kNoNumber,
        money(part.cost), 80 * share, percent(share));
  }
  return out + "</tbody></table></div>\n";
}

std::string spending(const RunRecord& record, const std::vector<SpendingPart>& spent) {
  const std::string chart = cost_chart(record);
  if (chart.empty()) return {};
  return section("Cost, in the currency of the prices",
                 figure(chart, {{"k-point", "spent on training"}}) +
                     (spent.empty() ? "" : spending_table(spent)));
}

std::string presence(const RunRecord& record) {
  const std::string chart = workers_chart(record);
  if (chart.empty()) return {};
  return section(
      "Workers",
      figure(chart, {{"k-none", "▲ joined"}, {"k-none", "▼ left"}, {"k-none", "✕ lost"}}));
}

std::string candidate_row(std::string_view css_class, std::string_view what, std::string_view cost,
                          std::string_view probability) {
  return fmt::format(
      "<tr class=\"{}\"><th scope=\"row\" class=\"text\">{}</th><td class=\"number\">{}</td>"
      "<td class=\"number\">{}</td></tr>\n",
      css_class, escape(what), cost, probability);
}

std::string plan_section(std::string_view title, const plan::Plan& plan) {
  std::string out = paragraph(plan.reason);
  out +=
      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Schedule</th>"
      "<th scope=\"col\" class=\"number\">Mean cost</th>"
      "<th scope=\"col\" class=\"number\">Probability</th></tr></thead><tbody>\n";
  const auto& claims = plan.claims;
  out += candidate_row("chosen", plan_words(plan), claims ? money(claims->cost_mean) : kNoNumber,
                       claims ? percent(claims->probability) : kNoNumber);
  if (claims) {
    for (const plan::Candidate& candidate : claims->runners_up) {
      out += candidate_row("", candidate.what, money(candidate.cost_mean),
                           percent(candidate.probability));
    }
  }
  return section(title, out + "</tbody></table></div>\n");
}

std::string assumptions(const plan::Plan& plan) {
  if (!plan.claims || plan.claims->assumptions.empty()) return {};
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Assumption</th>"
      "<th scope=\"col\">Test</th><th scope=\"col\">Found</th><th scope=\"col\">Holds</th></tr>"
      "</thead><tbody>\n";
  for (const plan::Assumption& one : plan.claims->assumptions) {
    out += fmt::format(
        "<tr><th scope=\"row\" class=\"text\">{}</th><td class=\"text\">{}</td>"
        "<td class=\"text\">{}</td><td class=\"{}\">{}</td></tr>\n",
        escape(one.name), escape(one.test), escape(one.found), one.passed ? "pass" : "fail",
        one.passed ? "✓ yes" : "✕ no");
  }
  return section("What the plan assumes", out + "</tbody></table></div>\n");
}

std::string stated_promise(const RunRecord& record) {
  if (!record.stated) return {};
  return section(
      "What the promise rests on",
      paragraph(fmt::format("It was stated {} after the start, {}.",
                            time_words(record.stated->seconds), record.stated->argument)));
}

std::string timeline(const RunRecord& record) {
  if (record.timeline.empty()) return {};
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Time</th><th "
      "scope=\"col\">Event</th>"
      "<th scope=\"col\">What happened</th><th scope=\"col\" class=\"number\">Workers</th></tr>"
      "</thead><tbody>\n";
  for (const TimelineEvent& event : record.timeline) {
    out += fmt::format(
        "<tr><td class=\"time\">{}</td><td>{}</td><td class=\"text\">{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        time_words(event.seconds), name_of(event.kind), escape(event.text), event.workers);
  }
  return section("Timeline", out + "</tbody></table></div>\n");
}

std::string footer(const RunRecord& record) {
  std::string rows;
  const auto row = [&](std::string_view name, std::string_view value) {
    rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
  };
  if (record.certified) {
    row("certified checkpoint", record.certified->checkpoint);
    row("model checksum", record.certified->model_checksum);
  }
  for (const auto& [name, version] : record.versions) row(name, version);
  return fmt::format(
      "<footer>\n<dl>\n{}</dl>\n<p>The numbers are in certificate.json; "
      "<code>surety verify</code> checks them.</p>\n</footer>\n",
      rows);
}

}  // namespace

std::string report_html(const RunRecord& record, const std::vector<SpendingPart>& spent) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: {}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
      escape(record.job), headline(record), page::page_style());
  out += head(record);
  out += comparison_table(record);
  out += warnings(record);
  out += learning(record);
  out += spending(record, spent);
  out += presence(record);
  if (record.plan) {
    out += plan_section("Plan", *record.plan) + assumptions(*record.plan);
  } else if (record.infeasible) {
    if (const plan::Plan* const closest = record.infeasible->closest()) {
      out += plan_section("Best effort", *closest) + assumptions(*closest);
    }
  }
  out += stated_promise(record);
  out += timeline(record);
  out += footer(record);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace surety::certificate
