#include "orchestrator/stages/attempt_settings.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"

namespace surety::orchestrator {
namespace {

// Number of failed attempts after which the run ends with a report of them.
constexpr std::size_t kFailuresMax = 4;
// Factor for a new attempt's learning rate, for each failed attempt.
constexpr double kSlower = 0.1;

}  // namespace

AttemptSettings::AttemptSettings(const job::TrainSpec& train, const PoolSetup& setup)
    : first_seed_(train.seed),
      job_rate_(train.learning_rate),
      has_families_(setup.spec.families > 1),
      workers_(setup.workers) {
  for (const plan::PoolVariantSpec& variant : setup.spec.variants) {
    rates_.push_back(setup.versions[variant.version].learning_rate);
  }
}

std::uint64_t AttemptSettings::seed(std::uint32_t attempt) const {
  return first_seed_ + 1000003ull * (attempt - 1);
}

double AttemptSettings::slower() const { return std::pow(kSlower, failures_); }

// With several families, rates that were too high are not tried again.
double AttemptSettings::fresh_rate(std::uint32_t variant) const {
  SURETY_CHECK(variant < rates_.size());
  return rates_[variant] * (has_families_ ? 1 : slower());
}

double AttemptSettings::rate(std::uint32_t attempt, std::uint32_t variant,
                             const RunState& state) const {
  SURETY_CHECK(attempt > 0);
  if (attempt <= state.attempts.begun.size())
    return state.attempts.begun[attempt - 1].learning_rate();
  return fresh_rate(variant);
}

proto::AttemptBegan AttemptSettings::began(std::uint32_t attempt, std::uint32_t variant,
                                           const std::string& reason) const {
  proto::AttemptBegan fact;
  fact.set_attempt(attempt);
  fact.set_seed(seed(attempt));
  fact.set_learning_rate(fresh_rate(variant));
  fact.set_variant(variant);
  fact.set_workers(workers_);
  fact.set_reason(reason);
  return fact;
}

bool AttemptSettings::may_fail_again() const { return failures_ < kFailuresMax; }

std::string AttemptSettings::advice(double failed_rate) const {
  if (has_families_) return "smaller learning rates are tried";
  return fmt::format(
      "A smaller train.learning_rate than {:.3g} may help, or auto, which tries several: new "
      "attempts use {:.3g}",
      failed_rate, job_rate_ * slower());
}

}  // namespace surety::orchestrator
