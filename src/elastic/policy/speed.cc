#include "elastic/policy/speed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "elastic/policy/shares.h"

namespace surety::elastic {
namespace {

// Ratio of standard deviation to median absolute deviation of the normal distribution.
constexpr double kSdPerMad = 1.4826;

double robust_sd(const std::vector<double>& values, double center) {
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - center));
  return kSdPerMad * median(std::move(deviations));
}

}  // namespace

bool SpeedModel::is_far_off(double ratio) const {
  if (window_.size() < options_.enough) return false;
  const double center = median(window_);
  const double sd = std::max(robust_sd(window_, center), options_.sd_min * center);
  return std::abs(ratio - center) > options_.break_sds * sd;
}

void SpeedModel::observe(double work, double seconds) {
  if (!(work > 0) || !(seconds > 0)) return;
  const double ratio = seconds / work;
  if (!std::isnormal(ratio)) return;  // No speed is infinite, and none is zero.
  const auto remember = [this](double value) {
    window_.push_back(value);
    if (window_.size() > options_.window) window_.erase(window_.begin());
  };
  const auto end_run = [&] {
    // The suspect values were only spikes. They are added, because spikes do not affect the median.
    for (const double suspect : suspects_) remember(suspect);
    suspects_.clear();
  };
  if (!is_far_off(ratio)) {
    end_run();
    return remember(ratio);
  }
  const double center = median(window_);
  if (!suspects_.empty() && (suspects_.back() > center) != (ratio > center)) end_run();
  suspects_.push_back(ratio);
  if (suspects_.size() < options_.break_run) return;
  window_ = std::exchange(suspects_, {});
}

std::optional<double> SpeedModel::seconds_per_work() const {
  if (window_.size() < options_.enough) return std::nullopt;
  return median(window_);
}

double SpeedModel::noise() const {
  constexpr std::size_t kFew = 5;
  constexpr double kNoiseOfFew = 0.1;
  if (window_.empty()) return kNoiseOfFew;
  const double center = median(window_);
  const double relative = robust_sd(window_, center) / center;
  return window_.size() < kFew ? std::max(relative, kNoiseOfFew) : relative;
}

void Speeds::observe(WorkerId worker, double work, double seconds) {
  models_.try_emplace(worker, options_).first->second.observe(work, seconds);
}

std::optional<double> Speeds::seconds_per_work(WorkerId worker) const {
  const auto model = models_.find(worker);
  return model == models_.end() ? std::nullopt : model->second.seconds_per_work();
}

std::vector<double> Speeds::seconds_per_work(std::span<const WorkerId> workers) const {
  std::vector<double> known;
  for (const WorkerId worker : workers) {
    if (const auto c = seconds_per_work(worker)) known.push_back(*c);
  }
  const double typical = known.empty() ? 1 : median(known);
  std::vector<double> result;
  for (const WorkerId worker : workers) {
    result.push_back(seconds_per_work(worker).value_or(typical));
  }
  return result;
}

double Speeds::error(std::span<const WorkerId> workers) const {
  // Ratio of the standard errors of median and mean, for normal values.
  constexpr double kMedianOverMean = 1.25;
  std::vector<double> noise;
  for (const WorkerId worker : workers) {
    if (!seconds_per_work(worker)) continue;
    noise.push_back(models_.at(worker).noise());
  }
  if (noise.empty()) return 0;
  return kMedianOverMean * median(std::move(noise)) / std::sqrt(options_.window);
}

}  // namespace surety::elastic
