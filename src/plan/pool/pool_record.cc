#include "plan/pool/pool_record.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "plan/belief/stop_metric.h"
#include "plan/pool/learns_nothing.h"

namespace surety::plan {
namespace {

// Weight of the earlier jobs' law in the prior. The rest is the wide prior, in case this job
// differs from the earlier ones.
constexpr double kSameData = 0.9;
constexpr double kOtherData = 0.5;
constexpr double kOwnVariance = 0.01;  // Variance that one job adds to each parameter.

bool can_work_alone(const PoolSpec& spec) {
  return std::ranges::any_of(spec.variants, [&](const PoolVariantSpec& variant) {
    return variant.workers.value_or(spec.reference_workers) == 1;
  });
}

// The duality gap of one worker falls exponentially. With several workers, which learn without each
// other's results, the last part of it may fall far more slowly than the first. The distance
// between the metric of a linear model and that of its solution falls exponentially, though not
// always from the first pass on. A network learns like a power of the passes.
ShapeLaw shape_of(const PoolSpec& spec) {
  if (spec.metric == Metric::kDualityGap) {
    return {.exponential = can_work_alone(spec) ? 0.9 : 0.3, .to_nothing = true};
  }
  return {.exponential = spec.one_solution ? 0.7 : 0.1, .to_nothing = false};
}

LawPrior prior_of(const PoolSpec& spec) {
  const EarlierJobs& earlier = *spec.earlier;
  const std::size_t parameters =
      Belief::parameters(spec.versions.size(), spec.workers_law.has_value());
  std::optional<EarlierLaws> laws =
      fitted(widened(earlier.laws, earlier.jobs, kOwnVariance), parameters);
  SURETY_CHECK(laws.has_value());
  return {*laws, earlier.same_data ? kSameData : kOtherData};
}

std::uint32_t with_earlier(std::uint32_t own, const PoolSpec& spec) {
  return own + (own > 0 && knows_same_data(spec) ? spec.earlier->passes : 0);
}

}  // namespace

PoolRecord::PoolRecord(PoolSpec spec)
    : spec_(std::move(spec)), variants_(spec_), attempts_(!spec_.one_solution) {
  SURETY_CHECK(!spec_.variants.empty() && !spec_.versions.empty());
  SURETY_CHECK(spec_.families > 0 && spec_.versions.size() % spec_.families == 0);
}

void PoolRecord::begin(double untrained_metric) {
  SURETY_CHECK(!belief_);
  BeliefOptions options;
  options.seed = spec_.seed;
  options.shape = shape_of(spec_);
  options.workers = spec_.workers_law;
  if (spec_.earlier) options.prior = prior_of(spec_);
  belief_.emplace(spec_.versions, std::max(untrained_metric, kLeastMetric), options);
}

PoolPass PoolRecord::on_pass(PoolPass pass) {
  SURETY_CHECK(belief_ && pass.variant < variants_.size());
  if (!std::isfinite(pass.metric)) {
    pass.metric = 1e3 * belief_->start();
    pass.metric_se = se_;
  }
  const std::uint32_t version = variants_[pass.variant].version;
  if (pass.attempt == attempts_.size()) belief_->begin();
  attempts_.on_pass(pass, version, belief_->start());
  se_ = pass.metric_se;
  tried_.insert(version);
  variants_.observe(pass.variant, pass.seconds, pass.workers);
  ++passes_;
  if (spec_.metric == Metric::kAccuracy && pass.metric <= 0) ++perfect_passes_;
  const double chance = std::min(belief_->start(), spec_.guess.value_or(belief_->start()));
  if (!is_at_chance({pass.metric, pass.metric_se}, chance)) ++better_passes_;
  reached_ = pass.metric <= stop_metric(spec_.target, spec_.probability, pass.metric_se,
                                        attempts_[pass.attempt].fall.is_steady());
  if (reached_ || is_decision_due(pass.passes)) {
    belief_->observe(pass.attempt,
                     {.version = version,
                      .passes = static_cast<double>(pass.passes),
                      .metric = std::max(pass.metric, kLeastMetric),
                      .metric_se = pass.metric_se,
                      .workers_log = pass.workers ? variants_.workers_log_of(*pass.workers)
                                                  : variants_.workers_log(pass.variant)});
  }
  return pass;
}

void PoolRecord::on_saved(double metric) { saved_ = std::min(saved_.value_or(metric), metric); }

void PoolRecord::on_failed_start(std::uint32_t variant) {
  SURETY_CHECK(belief_.has_value());
  attempts_.on_failed_start(variant);
  belief_->begin();
}

bool knows_same_data(const PoolSpec& spec) { return spec.earlier && spec.earlier->same_data; }

std::uint32_t evidence(const PoolRecord& record) {
  return with_earlier(record.passes(), record.spec());
}

std::uint32_t evidence_of_learning(const PoolRecord& record) {
  return with_earlier(record.better_passes(), record.spec());
}

bool is_decision_due(std::uint32_t passes) { return passes <= 8 || passes % (passes / 8) == 0; }

double margin(const PoolRecord& record) {
  const std::optional<std::uint32_t> current = record.attempts().current();
  const bool steadily = current && record.attempts()[*current].fall.is_steady();
  // The margin is the same for every target.
  return -stop_metric(0, record.spec().probability, record.metric_se(), steadily);
}

double target_with_margin(const PoolRecord& record, double target) {
  return std::max(target - margin(record), kLeastMetric);
}

}  // namespace surety::plan
