// The certificate of a run: what was promised, what was planned, what was reached.
//
// The verdict is computed here from the numbers alone, so that `surety verify` can recompute it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "certificate/event_kind.h"
#include "certificate/run_phase.h"
#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::certificate {

enum class Verdict : std::uint8_t { kKept, kMissed, kInfeasible, kStopped };

// One evaluation during training.
struct Measurement {
  double seconds = 0;      // Seconds since training began.
  std::uint32_t pass = 0;  // Number of the pass since training began.
  std::string version;
  // Value on the deciding split. Accuracy is not turned into an error rate here.
  double metric = 0;
  double metric_se = 0;
  double cost = 0;  // Cost of training so far.
  std::uint32_t workers = 0;
  // Attempts are numbered from 1. There is none in training by a plan or with fixed settings.
  std::optional<std::uint32_t> attempt{};
};

// An entry of the time line: "worker 3 joined", "worker 2 lost: connection lost", "switched to
// full".
struct TimelineEvent {
  double seconds = 0;  // Seconds since the run began.
  EventKind kind = EventKind::kPhase;
  std::string text;
  std::uint32_t workers = 0;  // Workers present after the event.

  // The phase that began. None for other events.
  [[nodiscard]] std::optional<RunPhase> phase() const;
};

// The metric of one model, in the user's terms: loss, accuracy or gap.
struct MetricValues {
  double metric = 0;
  double metric_se = 0;  // Standard error; 0 for the gap, which is exact.
  std::uint64_t samples = 0;
  // For a gap of the new process: the objective, of which a gap is a small difference.
  std::optional<double> objective{};
};

// The chosen checkpoint, measured on data that no decision was based on. The workers measure it,
// and then a new process measures it again, which uses no result of a worker.
struct Certified {
  // The values that count: those of the new process, or of the workers if there are no others.
  double metric = 0;
  double metric_se = 0;
  std::uint64_t samples = 0;
  std::string checkpoint;
  std::string model_checksum;
  std::optional<std::uint32_t> attempt{};  // Number of the attempt, from 1, if there are any.
  // The values of the new process.
  std::optional<MetricValues> again{};
  // The values of the workers, if those of the new process do not agree with them.
  std::optional<MetricValues> contradicted{};
  // Why the new process has no values; absent if it has, or if it has not measured yet.
  std::optional<std::string> not_again{};
};

[[nodiscard]] MetricValues values_of(const Certified& certified);

// Whether the outcome of the second measurement is known: its values, or why there are none.
[[nodiscard]] bool has_second_outcome(const Certified& certified);

// Whether both can be measurements of the same model on the same samples. They may differ a little,
// because sums have another order, and other machines round differently.
[[nodiscard]] bool agree(const MetricValues& a, const MetricValues& b, plan::Metric metric);

// Adds the values of the new process. REQUIRES: there are none yet.
void add_second_measurement(Certified& certified, const MetricValues& again, plan::Metric metric);

// When the promise was stated, and what it rests on. A run that reaches its target earlier has
// none.
struct StatedPromise {
  double seconds = 0;            // Seconds since the run began.
  double probability = 0;        // Probability of being certified in time.
  double probability_lower = 0;  // Lower bound of this probability.
  double cost_mean = 0;          // Expected cost from then on.
  std::string argument;
};

// A refusal after which training continued, because the job asks for the best effort.
struct RefusedPromise {
  double seconds = 0;  // Seconds since the run began.
  plan::Infeasible refusal;
};

// A data set that the run began with. The one for validation is named "validation".
struct DataUsed {
  std::string name;
  std::uint64_t samples = 0;
  std::string content;  // Checksum of all samples in order, hexadecimal.
};

struct RunRecord {
  std::string job;      // Name of the job.
  std::string run;      // Name of the run.
  std::string started;  // ISO 8601, UTC.
  plan::Promise promise;
  double deadline_s = 0;  // Seconds from the start of the run.
  std::vector<DataUsed> data;
  // What is likely to be wrong with the data, for example that a model without input reaches the
  // target. Sentences.
  std::vector<std::string> warnings;
  std::optional<plan::Plan> plan;
  std::optional<plan::Infeasible> infeasible;
  std::optional<StatedPromise> stated;
  std::optional<RefusedPromise> refused;
  std::vector<Measurement> measurements;
  std::vector<TimelineEvent> timeline;
  std::optional<Certified> certified;
  double run_seconds = 0;  // From the start of the run to the certified result.
  double profile_seconds = 0;
  double training_seconds = 0;
  double profile_cost = 0;
  double training_cost = 0;
  double data_cost = 0;
  // Training cost of each attempt, from the first one. Empty without attempts.
  std::vector<double> attempt_costs;
  std::string stop_reason;
  // What would have been enough if the target was missed, as a sentence; absent if it is not known.
  // It is not a part of the certificate.
  std::optional<std::string> enough{};
  // Versions of the program, the libraries and the machine.
  std::map<std::string, std::string> versions;
};

// Stopped if the run was paused before the second measurement of its certified result. Otherwise
// kept if a result was certified and shortfalls() is empty. Otherwise infeasible if the promise was
// refused; missed if a result was certified, the deadline has passed, or training ended without
// anything to certify; and stopped in all other cases, also after a profile, which trains nothing.
// Numbers are compared without a tolerance: a metric misses the target even if the difference is
// below its noise.
[[nodiscard]] Verdict verdict(const RunRecord& record);
[[nodiscard]] const char* name_of(Verdict verdict);  // kept, missed, infeasible, stopped

// The parts of the promise that were not reached (metric, deadline, budget), one sentence each. The
// metric counts as missed if nothing was certified.
[[nodiscard]] std::vector<std::string> shortfalls(const RunRecord& record);

// Whether the metric is at least as good as the target. False if the metric is not a number.
[[nodiscard]] bool meets_target(const plan::Promise& promise, double metric);

[[nodiscard]] double total_cost(const RunRecord& record);  // Profile, training and data.

// The training costs of the certified attempt and of all other attempts.
struct AttemptCosts {
  std::uint32_t attempts = 0;
  double kept = 0;
  double others = 0;
};
// None for a run without attempts. O(attempts).
[[nodiscard]] std::optional<AttemptCosts> attempt_costs(const RunRecord& record);

}  // namespace surety::certificate
