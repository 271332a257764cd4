#include "plan/decision/drift.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/laws/time_model.h"

namespace surety::plan {
namespace {

// Largest factor by which a refit changes rates and times at once.
constexpr double kFactorMax = 4;
constexpr double kTimeSpreadMin = 0.05;

// Standard deviation over mean of one duration, from its own spread and from preemptions.
double relative_spread(const PassDuration& duration) {
  const double own =
      std::exp(duration.log_sd * duration.log_sd + duration.straggle_sd * duration.straggle_sd) - 1;
  const double mean = duration.mean_s();
  const double restarts =
      duration.preemptions_per_s * mean * duration.restart_s * duration.restart_s / (mean * mean);
  return std::max(std::sqrt(own + restarts), kTimeSpreadMin);
}

}  // namespace

Drift DriftAlarm::add(const Setting& setting, const DriftPass& pass) {
  const auto grow = [this](double sum, double surprise) {
    return std::max(0.0, sum + std::min(surprise, options_.single_max) - options_.slack);
  };
  const PassDuration duration =
      pass_duration(setting.law_of(pass.variant), setting.variants[pass.variant]);
  const double slower = (pass.seconds / duration.mean_s() - 1) / relative_spread(duration);
  learning_ = grow(learning_, pass.surprise);
  time_ = grow(time_, slower);
  if (learning_ > options_.threshold) return Drift::kLearning;
  return time_ > options_.threshold ? Drift::kTime : Drift::kNone;
}

Setting refit(Setting setting, const std::vector<DriftPass>& passes, const DriftOptions& options) {
  SURETY_CHECK(!passes.empty());
  std::vector<double> shares;
  double seen_s = 0;
  double expected_s = 0;
  for (const DriftPass& pass : passes) {
    if (pass.progress_share) shares.push_back(*pass.progress_share);
    seen_s += pass.seconds;
    expected_s +=
        pass_duration(setting.law_of(pass.variant), setting.variants[pass.variant]).mean_s();
  }
  const double rate = shares.empty() ? 1 : std::clamp(mean(shares), 1 / kFactorMax, kFactorMax);
  const double time = std::clamp(seen_s / expected_s, 1 / kFactorMax, kFactorMax);
  for (VersionLaw& law : setting.laws.versions) {
    law.rate *= rate;
    law.time.pass_s *= time;
  }
  setting.laws.run_effect = std::max(setting.laws.run_effect, options.run_effect_min);
  return setting;
}

}  // namespace surety::plan
