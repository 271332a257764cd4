#include "elastic/scale_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "elastic/shares.h"

namespace surety::elastic {

double theil_sen_slope(std::span<const Observation> observations) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    for (std::size_t j = i + 1; j < observations.size(); ++j) {
      const double run = observations[j].x - observations[i].x;
      if (run != 0) slopes.push_back((observations[j].y - observations[i].y) / run);
    }
  }
  return median(std::move(slopes));
}

ScaleIn::ScaleIn(std::uint32_t workers, ScaleInOptions options)
    : options_(options), workers_(workers), next_wait_(options.wait) {
  SURETY_CHECK(workers >= 1 && options.workers_min >= 1 && options.window >= 2);
}

bool ScaleIn::observe(double gap, double seconds) {
  if (!(gap > 0) || !std::isfinite(gap) || !(seconds > 0)) return false;
  clock_ += options_.per_cost ? seconds * workers_ : seconds;
  window_.push_back({clock_, -std::log(gap)});
  if (window_.size() > options_.window + 1) window_.erase(window_.begin());
  if (to_wait_ > 0) --to_wait_;
  if (window_.size() <= options_.window) return false;
  const double rate_now = rate();
  rates_[workers_] = rate_now;
  return phase_ == Phase::kTrying ? judge(rate_now) : try_fewer(rate_now);
}

void ScaleIn::limit(std::uint32_t workers) {
  SURETY_CHECK(workers >= 1);
  *this = ScaleIn(workers, options_);
}

double ScaleIn::rate() const { return theil_sen_slope(window_); }

bool ScaleIn::try_fewer(double rate_now) {
  const std::uint32_t fewer = std::max(options_.workers_min, workers_ / 2);
  if (fewer >= workers_) return false;
  const bool has_fallen = rate_before_ > 0 && rate_now < options_.fall * rate_before_;
  if (to_wait_ > 0 && !has_fallen) return false;
  before_ = workers_;
  rate_before_ = rate_now;
  phase_ = Phase::kTrying;
  reason_ =
      fmt::format("{} workers take ln(gap) down by {:.3g}/s: trying {}", workers_, rate_now, fewer);
  return change_to(fewer);
}

bool ScaleIn::judge(double rate_now) {
  phase_ = Phase::kSteady;
  if (rate_now > (1 + options_.gain_min) * rate_before_) {
    reason_ = fmt::format("{} workers stay: {:.3g}/s instead of {:.3g}/s with {}", workers_,
                          rate_now, rate_before_, before_);
    rate_before_ = 0;
    to_wait_ = 0;
    next_wait_ = options_.wait;
    return false;
  }
  reason_ = fmt::format("back to {} workers: {:.3g}/s with {} is no better than {:.3g}/s", before_,
                        rate_now, workers_, rate_before_);
  to_wait_ = next_wait_;
  next_wait_ *= 2;
  return change_to(before_);
}

bool ScaleIn::change_to(std::uint32_t workers) {
  workers_ = workers;
  window_.erase(window_.begin(), window_.end() - 1);  // It begins where the other one ended.
  return true;
}

}  // namespace surety::elastic
