// The certificate of a run: what was promised, what was planned, what was reached.
//
// The verdict is computed here from the numbers alone, so that `surety verify` can compute it
// again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::orchestrator {

enum class Verdict : std::uint8_t { kKept, kMissed, kInfeasible, kStopped };

// One evaluation during training.
struct Measurement {
  double seconds = 0;      // Since training began.
  std::uint32_t pass = 0;  // Since training began.
  std::string version;
  double metric = 0, metric_se = 0;  // Deciding split; accuracy as accuracy.
  double cost = 0;                   // So far, training only.
  std::uint32_t workers = 0;
  std::uint32_t attempt = 0;  // From 1; 0: training by a plan or by hand.
};

// For the time line: "worker 3 joined", "worker 2 lost: connection lost", "switched to full".
struct TimelineEvent {
  double seconds = 0;  // Since the run began.
  // join, leave, lost, switch, checkpoint, phase, drift, stop, attempt, promise, pause
  std::string kind;
  std::string text;
  std::uint32_t workers = 0;  // Present after it.
};

// The kept checkpoint measured once on data that took no decision.
struct Certified {
  double metric = 0, metric_se = 0;
  std::uint64_t samples = 0;
  std::string checkpoint, model_checksum;
  std::uint32_t attempt = 0;  // As Measurement's.
};

// When the promise was stated, and what it rests on. A run that reaches its target before has none.
struct StatedPromise {
  double seconds = 0;                             // Since the run began.
  double probability = 0, probability_lower = 0;  // Of being certified in time.
  double cost_mean = 0;                           // Expected from then on.
  std::string argument;
};

// A data set that the run began with; the one for validation is called so.
struct DataUsed {
  std::string name;
  std::uint64_t samples = 0;
  std::string content;  // Checksum of all samples in order, hexadecimal.
};

struct RunRecord {
  std::string job, run;  // Names.
  std::string started;   // ISO 8601, UTC.
  plan::Promise promise;
  double deadline_s = 0;  // Of the whole run, from its start.
  std::vector<DataUsed> data;  // Empty in certificates of earlier programs.
  std::optional<plan::Plan> plan;
  std::optional<plan::Infeasible> infeasible;
  std::optional<StatedPromise> stated;
  std::vector<Measurement> measurements;
  std::vector<TimelineEvent> timeline;
  std::optional<Certified> certified;
  double run_seconds = 0;  // Start of the run to the certified result.
  double profile_seconds = 0, training_seconds = 0;
  double profile_cost = 0, training_cost = 0, data_cost = 0;
  // Of the training cost, what each attempt took, from the first one; empty without attempts, and
  // in certificates of earlier programs.
  std::vector<double> attempt_costs;
  std::string stop_reason;
  std::map<std::string, std::string> versions;  // Program, libraries, machine.
};

// Kept where a result was certified and shortfalls() is empty. Else infeasible where the promise
// was refused; missed where a result was certified, or the deadline has passed; else stopped.
// Numbers are compared as they are: a metric that misses the target by its noise, or by less,
// misses it.
[[nodiscard]] Verdict verdict(const RunRecord& record);
[[nodiscard]] const char* name_of(Verdict verdict);  // kept, missed, infeasible, stopped

// What was promised and not reached, a sentence each: metric, deadline, budget. The metric counts
// as missed where nothing was certified.
[[nodiscard]] std::vector<std::string> shortfalls(const RunRecord& record);

[[nodiscard]] double total_cost(const RunRecord& record);  // Profile, training and data.

// Of the attempts: what was spent on the one that was certified, and on all others. Where it was
// not accounted for each, what lies between two evaluations is the later one's.
struct AttemptCosts {
  std::uint32_t attempts = 0;
  double kept = 0, others = 0;
};
// None for a run without attempts. O(measurements).
[[nodiscard]] std::optional<AttemptCosts> attempt_costs(const RunRecord& record);

// certificate.json (docs/certificate.md): stable keys, every number with its unit in its name, and
// back without loss; numbers that are not finite are the texts "nan", "inf" and "-inf".
// InvalidInput for what is no certificate, with path, found and expected; Corrupt where its verdict
// is not the one that its numbers give.
[[nodiscard]] std::string to_json(const RunRecord& record);
[[nodiscard]] Result<RunRecord> record_from_json(std::string_view text);

// A dozen lines for the terminal: verdict, promised, planned, reached.
[[nodiscard]] std::string summary(const RunRecord& record);

}  // namespace surety::orchestrator
