#include "certificate/record_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/words.h"

namespace surety::certificate {
namespace {

const char* bound(plan::Metric metric) { return metric == plan::Metric::kAccuracy ? "≥" : "≤"; }

// A duality gap is exact, so it has no error.
std::string measured(const Certified& certified) {
  if (certified.metric_se == 0) return short_number(certified.metric);
  return fmt::format("{} ± {}", short_number(certified.metric),
                     short_number(2 * certified.metric_se));
}

// How the metric was checked. Empty if it is not known.
std::vector<std::string> second_words(const Certified& certified) {
  std::vector<std::string> out;
  if (const auto& workers = certified.contradicted) {
    out.push_back(
        fmt::format("the workers reported {} on {}, but a new process measured the final model "
                    "again, and its value counts",
                    short_number(workers->metric), counted(workers->samples, "sample")));
  } else if (certified.again) {
    out.push_back(
        "the workers measured the result, and a new process measured it again, with the same "
        "result");
  }
  if (certified.not_again) {
    out.push_back("not measured a second time, so the value that the workers reported counts: " +
                  *certified.not_again);
  }
  return out;
}

Comparison metric_row(const RunRecord& record) {
  const plan::Promise& promise = record.promise;
  Comparison row{metric_words(promise.metric),
                 fmt::format("{} {}", bound(promise.metric), short_number(promise.target)),
                 kNoNumber, kNoNumber};
  if (record.plan) {
    row.planned = fmt::format("stop at {}",
                              short_number(shown_metric(promise.metric, record.plan->stop_metric)));
  }
  if (record.certified) {
    row.reached =
        fmt::format("{} on {} samples", measured(*record.certified), record.certified->samples);
  }
  return row;
}

Comparison time_row(const RunRecord& record) {
  Comparison row{"time", fmt::format("≤ {}", time_words(record.deadline_s)), kNoNumber,
                 time_words(record.run_seconds)};
  if (const plan::Claims* const claims = claims_of(record)) {
    row.planned = fmt::format("to train: {} (95 %: {})", time_words(claims->seconds_mean),
                              time_words(claims->seconds_95));
  }
  if (record.training_seconds > 0 && record.profile_seconds > record.training_seconds) {
    row.reached += fmt::format(", {} of it training", time_words(record.training_seconds));
  }
  return row;
}

Comparison cost_row(const RunRecord& record) {
  Comparison row{"cost",
                 record.promise.budget ? fmt::format("≤ {}", money(*record.promise.budget))
                                       : std::string("minimal"),
                 kNoNumber, money(total_cost(record))};
  if (const plan::Claims* const claims = claims_of(record)) {
    row.planned =
        fmt::format("to train: {} (95 %: {})", money(claims->cost_mean), money(claims->cost_95));
  }
  if (const auto costs = attempt_costs(record)) {
    if (costs->attempts > 1) {
      row.reached +=
          fmt::format(", {} of it on the attempt that is kept, {} on {}", money(costs->kept),
                      money(costs->others), counted(costs->attempts - 1, "other"));
    }
  } else if (record.training_cost > 0) {
    row.reached += fmt::format(", {} of it training", money(record.training_cost));
  }
  return row;
}

// The promise was refused, and not stated later.
bool was_refused(const RunRecord& record) {
  return (record.infeasible || record.refused) && !record.stated;
}

Comparison probability_row(const RunRecord& record) {
  Comparison row{"probability", "≥ " + chosen_percent(record.promise.probability), kNoNumber,
                 kNoNumber};
  if (const plan::Claims* const claims = claims_of(record)) {
    row.planned = fmt::format("{} (at least {})", percent(claims->probability),
                              percent(claims->probability_lower));
  }
  if (record.stated) {
    const double mean = record.stated->probability;
    const std::string least = chance_words(std::min(record.stated->probability_lower, mean));
    const std::string most = chance_words(mean);
    row.reached = fmt::format("{}, stated after {}",
                              least == most ? most : fmt::format("{} (at least {})", most, least),
                              time_words(record.stated->seconds));
  } else if (attempt_costs(record)) {
    const Verdict ending = verdict(record);
    if (ending == Verdict::kKept) {
      row.reached = was_refused(record) ? "refused before the end" : "not stated before the end";
    }
    if (ending == Verdict::kMissed) row.reached = "not stated";
    if (record.refused) row.reached = "refused after " + time_words(record.refused->seconds);
  }
  return row;
}

// The width of this column in characters. The text is UTF-8.
std::size_t width(const std::vector<Comparison>& rows, std::string Comparison::*column) {
  std::size_t widest = 0;
  for (const Comparison& row : rows) {
    const auto begins_character = [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    };
    const auto size = std::ranges::count_if(row.*column, begins_character);
    widest = std::max(widest, static_cast<std::size_t>(size));
  }
  return widest;
}

std::string nearest_promises(const RunRecord& record, const plan::Infeasible& infeasible) {
  std::vector<std::string> parts;
  if (infeasible.target) {
    parts.push_back(fmt::format("{} {}", metric_words(record.promise.metric),
                                short_number(*infeasible.target)));
  }
  if (infeasible.deadline_s) parts.push_back("deadline " + time_words(*infeasible.deadline_s));
  if (infeasible.probability) parts.push_back("probability " + percent(*infeasible.probability));
  if (infeasible.budget) parts.push_back("budget " + short_number(*infeasible.budget));
  if (infeasible.seeds) parts.push_back(fmt::format("{} profile seeds", *infeasible.seeds));
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", or ") + part;
  return out;
}

// The nearest promises as options of a command. Each value is rounded to the side on which it can
// be kept.
std::string nearest_options(const RunRecord& record, const plan::Infeasible& infeasible) {
  std::vector<std::string> parts;
  const auto add = [&](const char* key, const std::string& value) {
    parts.push_back(fmt::format("--set {}={}", key, value));
  };
  constexpr int kDigits = 3;
  const auto down = [](double share) { return std::floor(share * 1000 + 1e-9) / 1000; };
  if (infeasible.target) {
    const bool is_accuracy = record.promise.metric == plan::Metric::kAccuracy;
    const double target = *infeasible.target;
    add("promise.target",
        fmt::format("{:g}", is_accuracy ? down(target) : digits_up(target, kDigits)));
  }
  if (infeasible.deadline_s) {
    add("promise.deadline", fmt::format("{:.0f}s", std::ceil(*infeasible.deadline_s)));
  }
  if (infeasible.probability) {
    add("promise.probability", fmt::format("{:g}", down(*infeasible.probability)));
  }
  if (infeasible.budget) {
    add("promise.budget", fmt::format("{:g}", digits_up(*infeasible.budget, kDigits)));
  }
  if (infeasible.seeds) add("profile.seeds", std::to_string(*infeasible.seeds));
  return fmt::format("{}", fmt::join(parts, "  or  "));
}

std::vector<std::string> nearest_words(const RunRecord& record, const plan::Infeasible& refusal) {
  const std::string nearest = nearest_promises(record, refusal);
  if (nearest.empty()) return {};
  return {"what can be promised, with everything else unchanged: " + nearest,
          "to ask for it, begin a new run with:  " + nearest_options(record, refusal)};
}

// When the promise was refused, and what followed. REQUIRES: record.refused.
std::string refused_words(const RunRecord& record) {
  return fmt::format(
      "the promise was refused after {}, and training continued as best effort{}",
      time_words(record.refused->seconds),
      record.stated ? fmt::format("; it was stated after {}", time_words(record.stated->seconds))
                    : "");
}

// There was no promise if the run ended before the promise was stated, if the promise was refused,
// or if the settings were fixed by hand.
std::string missed_headline(const RunRecord& record) {
  if (record.stated || (claims_of(record) && !record.infeasible)) return "Promise missed";
  std::string missed = "target";
  if (record.certified && meets_target(record.promise, record.certified->metric)) {
    missed = record.run_seconds <= record.deadline_s ? "budget" : "deadline";
  }
  return fmt::format(
      "{}, and the {} was missed",
      record.infeasible || record.refused ? "The promise was refused" : "No promise was stated",
      missed);
}

}  // namespace

std::string chance_words(double share) {
  return share > plan::kNearlyCertain ? "> 99.9 %" : percent(share);
}

std::string headline(const RunRecord& record) {
  switch (verdict(record)) {
    case Verdict::kKept:
      return was_refused(record) ? "The promise was refused, but the target was reached"
                                 : "Promise kept";
    case Verdict::kMissed:
      return missed_headline(record);
    case Verdict::kInfeasible:
      return "Promise infeasible";
    case Verdict::kStopped:
      return "Run stopped";
  }
  return {};
}

std::vector<std::string> explanation(const RunRecord& record) {
  switch (verdict(record)) {
    case Verdict::kKept:
      return {};
    case Verdict::kMissed: {
      std::vector<std::string> out = shortfalls(record);
      if (record.refused) {
        const plan::Infeasible& refusal = record.refused->refusal;
        out.push_back(fmt::format("{}: {}", refused_words(record), refusal.reason));
        std::ranges::move(nearest_words(record, refusal), std::back_inserter(out));
      }
      return out;
    }
    case Verdict::kStopped:
      return {"it ended before a result was certified"};
    case Verdict::kInfeasible:
      break;
  }
  std::vector<std::string> out{record.infeasible->reason};
  if (record.certified) {
    const bool is_gap = record.promise.metric == plan::Metric::kDualityGap;
    out.push_back(fmt::format(
        "the best model that has a checkpoint is kept: {} {} on {} {}",
        metric_words(record.promise.metric), measured(*record.certified), record.certified->samples,
        is_gap ? "training samples" : "samples that were not used for decisions"));
  }
  std::ranges::move(nearest_words(record, *record.infeasible), std::back_inserter(out));
  return out;
}

std::vector<Comparison> comparisons(const RunRecord& record) {
  return {metric_row(record), time_row(record), cost_row(record), probability_row(record)};
}

bool has_planned(const std::vector<Comparison>& rows) {
  return std::ranges::any_of(rows, [](const Comparison& row) { return row.planned != kNoNumber; });
}

std::vector<std::string> notes(const RunRecord& record) {
  std::vector<std::string> out;
  // A missed target is explained by the refusal (explanation()).
  const Verdict ending = verdict(record);
  if (record.refused && ending != Verdict::kMissed) out.push_back(refused_words(record));
  if (record.infeasible && ending == Verdict::kKept) {
    out.push_back(
        "the promise had been refused before, because the samples that decide did not show the "
        "target clearly enough; the samples that certify reach it, but others may miss it: the ± "
        "says by how much they may differ");
  }
  if (ending == Verdict::kKept && attempt_costs(record) && !record.stated && !record.refused) {
    out.push_back(
        "no probability was stated: before the end of training, the passes did not support one");
  }
  if (ending == Verdict::kKept && !attempt_costs(record) && !claims_of(record)) {
    out.push_back(
        "no probability was stated: the settings were chosen by hand, and nothing simulated them");
  }
  if (record.certified) std::ranges::move(second_words(*record.certified), std::back_inserter(out));
  if (record.certified && record.certified->metric_se > 0) {
    out.push_back("±: two standard errors; about 95 of 100 such measurements deviate by less");
  }
  if (total_cost(record) > 0) {
    out.push_back(
        "cost: in the currency of the job's prices (cluster.price, per worker; 1/h by default)");
  }
  return out;
}

std::string plan_words(const plan::Plan& plan) {
  std::string out;
  for (const plan::Block& block : plan.blocks) {
    out += fmt::format("{}{} for {}{}", out.empty() ? "" : ", then ", block.version,
                       counted(block.passes, "pass"),
                       block.nodes ? " on " + counted(*block.nodes, "worker") : "");
  }
  return out;
}

const plan::Claims* claims_of(const RunRecord& record) {
  return record.plan && record.plan->claims ? &*record.plan->claims : nullptr;
}

std::string stop_words(const RunRecord& record) {
  const std::string& reason = record.stop_reason;
  if (verdict(record) == Verdict::kMissed && record.enough) {
    return fmt::format("{}; {}", reason, *record.enough);
  }
  return reason;
}

std::string summary(const RunRecord& record) {
  std::string out = fmt::format("{} ({}, {})\n", headline(record), record.job, record.run);
  for (const std::string& line : explanation(record)) out += "  " + line + "\n";
  std::vector<Comparison> rows = comparisons(record);
  const bool planned = has_planned(rows);
  rows.insert(rows.begin(), {"", "promised", "planned", "reached"});
  const std::size_t whats = width(rows, &Comparison::what);
  const std::size_t promises = width(rows, &Comparison::promised);
  const std::size_t plans = width(rows, &Comparison::planned);
  for (const Comparison& row : rows) {
    out += fmt::format("  {:<{}} {:<{}} ", row.what, whats, row.promised, promises);
    if (planned) out += fmt::format("{:<{}} ", row.planned, plans);
    out += row.reached + "\n";
  }
  // After a refusal, this line would repeat the reason.
  if (!record.stop_reason.empty() && verdict(record) != Verdict::kInfeasible) {
    out += fmt::format("  stopped: {}\n", stop_words(record));
  }
  for (const std::string& note : notes(record)) out += fmt::format("  {}\n", note);
  return out;
}

}  // namespace surety::certificate
