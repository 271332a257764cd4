// The knowledge of a pool of attempts: its specification, the passes so far, and the resulting
// belief. Decisions are made elsewhere (attempt_pool.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "plan/belief/belief.h"
#include "plan/choice/pool_spec.h"
#include "plan/choice/variant_table.h"
#include "plan/pool/pool_attempts.h"
#include "plan/pool/pool_step.h"

namespace surety::plan {

inline constexpr double kLeastMetric = 1e-12;  // Metrics are raised to it, for their logarithms.

class PoolRecord {
 public:
  // REQUIRES: the specification has variants and versions, and the families are of equal length.
  explicit PoolRecord(PoolSpec spec);
  PoolRecord(const PoolRecord&) = delete;  // The table refers to the specification.
  PoolRecord& operator=(const PoolRecord&) = delete;

  // Begins the belief with the metric of the untrained model. REQUIRES: !has_begun().
  void begin(double untrained_metric);
  // Adds the pass and returns it as it is counted: a metric that is not finite is replaced by a
  // very bad one. REQUIRES: has_begun().
  PoolPass on_pass(PoolPass pass);
  // A checkpoint was saved whose model has this metric on the deciding samples.
  void on_saved(double metric);
  void on_lost(std::uint32_t attempt) { attempts_.on_lost(attempt); }
  // An attempt ended before its first pass was complete. REQUIRES: has_begun().
  void on_failed_start(std::uint32_t variant);
  void unload() { attempts_.unload(); }

  [[nodiscard]] const PoolSpec& spec() const { return spec_; }
  [[nodiscard]] const VariantTable& variants() const { return variants_; }
  [[nodiscard]] const PoolAttempts& attempts() const { return attempts_; }
  [[nodiscard]] bool has_begun() const { return belief_.has_value(); }
  // REQUIRES: has_begun().
  [[nodiscard]] const Belief& belief() const { return *belief_; }
  [[nodiscard]] std::uint32_t passes() const { return passes_; }
  // The passes after which a model was better than an untrained one (learns_nothing.h).
  [[nodiscard]] std::uint32_t better_passes() const { return better_passes_; }
  // Number of evaluations, of all attempts, that found no error. 0 if the metric is no accuracy.
  [[nodiscard]] std::uint32_t perfect_passes() const { return perfect_passes_; }
  // The standard error of the last pass; 0 before it.
  [[nodiscard]] double metric_se() const { return se_; }
  // The least metric of a model that has a checkpoint.
  [[nodiscard]] const std::optional<double>& saved() const { return saved_; }
  // Whether any attempt used the version of this variant.
  [[nodiscard]] bool was_tried(std::uint32_t variant) const {
    return tried_.contains(variants_[variant].version);
  }
  // Whether the last pass reached the target with its margin.
  [[nodiscard]] bool has_reached() const { return reached_; }

 private:
  PoolSpec spec_;
  VariantTable variants_;
  std::optional<Belief> belief_;
  PoolAttempts attempts_;
  std::set<std::uint32_t> tried_;  // Versions that were trained.
  double se_ = 0;
  std::optional<double> saved_;
  std::uint32_t passes_ = 0;
  std::uint32_t better_passes_ = 0;
  std::uint32_t perfect_passes_ = 0;
  bool reached_ = false;
};

// Passes before anything is promised, refused or forecast.
inline constexpr std::uint32_t kEvidence = 3;

// Whether jobs before this one had the same data.
[[nodiscard]] bool knows_same_data(const PoolSpec& spec);

// The number of passes that a refusal may rest on: passes of this job, and after the first of them
// those of earlier jobs with the same data.
[[nodiscard]] std::uint32_t evidence(const PoolRecord& record);
// The same for a promise: passes of this job count only if their models were better than an
// untrained one. If the model has not improved yet, the laws of learning say little about the data.
[[nodiscard]] std::uint32_t evidence_of_learning(const PoolRecord& record);

// Whether next() compares options after this many passes of an attempt that is not at its target:
// after each of the first eight passes, then after each eighth part more. So the time of decisions
// is negligible even if there are many short passes.
[[nodiscard]] bool is_decision_due(std::uint32_t passes);

// The margin by which the deciding samples must be better than a target if the current attempt
// continues as before.
[[nodiscard]] double margin(const PoolRecord& record);
// The metric that the deciding samples must reach for this target if the current attempt continues
// as before.
[[nodiscard]] double target_with_margin(const PoolRecord& record, double target);

}  // namespace surety::plan
