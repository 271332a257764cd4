#include "certificate/certificate.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/words.h"
#include "job/job_names.h"
#include "plan/words.h"

namespace surety::certificate {
namespace {

// Rounded numbers are for people. If two different numbers read as equal, the text adds the
// difference.
std::string off(const std::string& reached, std::string_view relation, const std::string& promised,
                const std::string& difference) {
  return fmt::format("{} {} {}{}", reached, relation, promised,
                     reached == promised ? ", off by " + difference : "");
}

}  // namespace

std::optional<RunPhase> TimelineEvent::phase() const {
  if (kind != EventKind::kPhase) return std::nullopt;
  return value_named(kRunPhaseNames, text);
}

// Not `!(a > b)`: a metric that is not a number meets no target.
bool meets_target(const plan::Promise& promise, double metric) {
  return promise.metric == plan::Metric::kAccuracy ? metric >= promise.target
                                                   : metric <= promise.target;
}

MetricValues values_of(const Certified& certified) {
  return {certified.metric, certified.metric_se, certified.samples};
}

bool has_second_outcome(const Certified& certified) {
  return certified.again || certified.not_again;
}

bool agree(const MetricValues& a, const MetricValues& b, plan::Metric metric) {
  if (a.samples != b.samples) return false;
  if (!std::isfinite(a.metric) || !std::isfinite(b.metric)) {
    return !std::isfinite(a.metric) && !std::isfinite(b.metric);
  }
  const double difference = std::abs(a.metric - b.metric);
  if (metric == plan::Metric::kAccuracy) {
    // This number of samples may be on the border between two classes.
    constexpr double kSamples = 2;
    return difference * static_cast<double>(a.samples) <= kSamples + 0.5;
  }
  constexpr double kRelative = 1e-4;
  // A gap is a small difference of large sums, which workers keep as numbers of 32 bits.
  constexpr double kOfGap = 1e-3;
  constexpr double kOfObjective = 1e-5;
  constexpr double kRounding = 1e-12;
  const bool is_gap = metric == plan::Metric::kDualityGap;
  const double objective = std::max(a.objective.value_or(0), b.objective.value_or(0));
  const double rounding = is_gap ? kOfObjective * objective : kRounding;
  return difference <=
         (is_gap ? kOfGap : kRelative) * std::max(std::abs(a.metric), std::abs(b.metric)) +
             std::max(rounding, kRounding);
}

void add_second_measurement(Certified& certified, const MetricValues& again, plan::Metric metric) {
  SURETY_CHECK(!certified.again);
  const MetricValues of_workers = values_of(certified);
  if (!agree(of_workers, again, metric)) certified.contradicted = of_workers;
  certified.again = again;
  certified.metric = again.metric;
  certified.metric_se = again.metric_se;
  certified.samples = again.samples;
}

double total_cost(const RunRecord& record) {
  return record.profile_cost + record.training_cost + record.data_cost;
}

std::optional<AttemptCosts> attempt_costs(const RunRecord& record) {
  if (record.attempt_costs.empty()) return std::nullopt;
  AttemptCosts costs{.attempts = static_cast<std::uint32_t>(record.attempt_costs.size())};
  for (std::uint32_t a = 1; a <= costs.attempts; ++a) {
    const bool kept = record.certified && a == record.certified->attempt;
    (kept ? costs.kept : costs.others) += record.attempt_costs[a - 1];
  }
  return costs;
}

std::vector<std::string> shortfalls(const RunRecord& record) {
  std::vector<std::string> out;
  const plan::Promise& promise = record.promise;
  const std::string metric = plan::metric_words(promise.metric);
  if (!record.certified) {
    out.push_back("no result was certified");
  } else if (!meets_target(promise, record.certified->metric)) {
    out.push_back(fmt::format(
        "{} {}", metric,
        off(short_number(record.certified->metric),
            promise.metric == plan::Metric::kAccuracy ? "is not at least" : "is not at most",
            short_number(promise.target),
            short_number(record.certified->metric - promise.target))));
  }
  if (!(record.run_seconds <= record.deadline_s)) {
    out.push_back(fmt::format(
        "the run took {}",
        off(time_words(record.run_seconds), "instead of at most", time_words(record.deadline_s),
            fmt::format("{} s", short_number(record.run_seconds - record.deadline_s)))));
  }
  if (promise.budget && !(total_cost(record) <= *promise.budget)) {
    out.push_back(
        fmt::format("the run cost {}",
                    off(money(total_cost(record)), "instead of at most", money(*promise.budget),
                        short_number(total_cost(record) - *promise.budget))));
  }
  return out;
}

Verdict verdict(const RunRecord& record) {
  const bool is_paused =
      !record.timeline.empty() && record.timeline.back().kind == EventKind::kPause;
  // The second measurement, which decides, is still to come.
  if (record.certified && is_paused && !has_second_outcome(*record.certified)) {
    return Verdict::kStopped;
  }
  if (record.certified && shortfalls(record).empty()) return Verdict::kKept;
  if (record.infeasible && !(record.certified && record.plan)) return Verdict::kInfeasible;
  if (record.certified) return Verdict::kMissed;
  // Training has ended, and there was nothing to certify. A run that was interrupted during
  // certification can continue.
  if (!record.stop_reason.empty() && !is_paused) return Verdict::kMissed;
  // A profile trains nothing that could keep a promise or miss it.
  if (record.training_seconds <= 0 && record.measurements.empty()) return Verdict::kStopped;
  const bool in_time = record.run_seconds <= record.deadline_s;
  const bool in_budget = !record.promise.budget || total_cost(record) <= *record.promise.budget;
  return in_time && in_budget ? Verdict::kStopped : Verdict::kMissed;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kKept:
      return "kept";
    case Verdict::kMissed:
      return "missed";
    case Verdict::kInfeasible:
      return "infeasible";
    case Verdict::kStopped:
      return "stopped";
  }
  return "unknown";
}

}  // namespace surety::certificate
