#include "orchestrator/certificate.h"

#include "base/time.h"
#include "base/units.h"
#include "orchestrator/job_schema.h"
#include "orchestrator/record_text.h"

namespace surety::orchestrator {
namespace {

// Not `!(a > b)`: a metric that is not a number meets no target.
bool meets_target(const plan::Promise& promise, double metric) {
  return promise.metric == plan::Metric::kAccuracy ? metric >= promise.target
                                                   : metric <= promise.target;
}

}  // namespace

double total_cost(const RunRecord& record) {
  return record.profile_cost + record.training_cost + record.data_cost;
}

// Every digit is written, so that no pair of unequal numbers reads as equal.
std::vector<std::string> shortfalls(const RunRecord& record) {
  std::vector<std::string> out;
  const plan::Promise& promise = record.promise;
  const char* metric = name_of(promise.metric);
  if (!record.certified) {
    out.push_back("no result was certified");
  } else if (!meets_target(promise, record.certified->metric)) {
    out.push_back(
        fmt::format("{} {} is {} {}", metric, record.certified->metric,
                    promise.metric == plan::Metric::kAccuracy ? "not at least" : "not at most",
                    promise.target));
  }
  if (!(record.run_seconds <= record.deadline_s)) {
    out.push_back(fmt::format("the run took {} s of {} s", record.run_seconds, record.deadline_s));
  }
  if (promise.budget && !(total_cost(record) <= *promise.budget)) {
    out.push_back(fmt::format("the run cost {} of {}", total_cost(record), *promise.budget));
  }
  return out;
}

Verdict verdict(const RunRecord& record) {
  if (record.certified) return shortfalls(record).empty() ? Verdict::kKept : Verdict::kMissed;
  if (record.infeasible) return Verdict::kInfeasible;
  return record.run_seconds <= record.deadline_s ? Verdict::kStopped : Verdict::kMissed;
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

std::string summary(const RunRecord& record) {
  std::string out = fmt::format("{} ({}, {})\n", headline(record), record.job, record.run);
  for (const std::string& line : explanation(record)) out += "  " + line + "\n";
  out += fmt::format("  {:<14} {:<18} {:<26} {}\n", "", "promised", "planned", "reached");
  for (const Comparison& row : comparisons(record)) {
    out += fmt::format("  {:<14} {:<18} {:<26} {}\n", row.what, row.promised, row.planned,
                       row.reached);
  }
  if (!record.stop_reason.empty()) out += fmt::format("  stopped: {}\n", record.stop_reason);
  return out;
}

}  // namespace surety::orchestrator
