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
    : options_(options), workers_(workers) {
  SURETY_CHECK(workers >= 1 && options.workers_min >= 1 && options.window >= 2);
}

bool ScaleIn::observe(double gap, double seconds) {
  if (!(gap > 0) || !std::isfinite(gap) || !(seconds > 0)) return false;
  clock_ += options_.per_cost ? seconds * workers_ : seconds;
  window_.push_back({clock_, -std::log(gap)});
  if (window_.size() <= options_.window) return false;
  const double rate_now = theil_sen_slope(window_);
  const bool is_hopeless = phase_ == Phase::kTrying && rate_now < options_.hopeless * rate_before_;
  if (!is_full() && !is_hopeless) return false;
  rates_[workers_] = rate_now;
  return phase_ == Phase::kTrying ? judge(rate_now) : try_fewer(rate_now);
}

void ScaleIn::pass_by(double gap, double seconds) {
  if (!(gap > 0) || !std::isfinite(gap) || !(seconds > 0)) return;
  clock_ += options_.per_cost ? seconds * workers_ : seconds;
  window_ = {{clock_, -std::log(gap)}};
}

void ScaleIn::limit(std::uint32_t workers) {
  SURETY_CHECK(workers >= 1);
  *this = ScaleIn(workers, options_);
}

bool ScaleIn::is_full() const {
  return fallen() >= options_.fall || window_.size() > options_.window_max;
}

// Half as many take twice as long for an iteration, if it is all computing, and as many iterations
// as now, if having fewer parts does not help.
double ScaleIn::expected_loss(std::uint32_t fewer) const {
  const auto known = losses_.find(fewer);
  const double unknown = options_.per_cost ? 0 : options_.loss;  // Fewer are hardly ever dearer.
  const double share = known == losses_.end() ? unknown : known->second;
  const double iterations = static_cast<double>(window_.size() - 1);
  const double iteration = (window_.back().x - window_.front().x) / iterations;
  const double factor = options_.per_cost ? 1 : static_cast<double>(workers_) / fewer;
  return share * iteration * factor * std::max<double>(options_.window, iterations / factor);
}

bool ScaleIn::try_fewer(double rate_now) {
  // The window slides on, as short as it may be.
  while (window_.size() > options_.window + 1 && window_.back().y - window_[1].y >= options_.fall) {
    window_.erase(window_.begin());
  }
  if (window_.size() > options_.window_max) window_.erase(window_.begin());
  const std::uint32_t fewer = std::max(options_.workers_min, workers_ / 2);
  if (fewer >= workers_ || !(rate_now > 0)) return false;
  if (lost_ + expected_loss(fewer) > options_.spend * clock_) return false;
  before_ = workers_;
  rate_before_ = rate_now;
  phase_ = Phase::kTrying;
  reason_ =
      fmt::format("{} workers take ln(gap) down by {:.3g}/s: trying {}", workers_, rate_now, fewer);
  return change_to(fewer);
}

bool ScaleIn::judge(double rate_now) {
  phase_ = Phase::kSteady;
  const double spent = window_.back().x - window_.front().x;
  const double loss = 1 - rate_now / rate_before_;
  lost_ = std::max(0.0, lost_ + spent * loss);
  if (loss <= 0) {
    reason_ =
        fmt::format("{}: {:.3g}/s, no less than {:.3g}/s with {}",
                    workers_ == 1 ? "1 worker stays" : fmt::format("{} workers stay", workers_),
                    rate_now, rate_before_, before_);
    return false;
  }
  losses_[workers_] = std::min(loss, 1.0);
  reason_ = fmt::format("back to {} workers: {:.3g}/s with {}, less than {:.3g}/s", before_,
                        rate_now, workers_, rate_before_);
  return change_to(before_);
}

bool ScaleIn::change_to(std::uint32_t workers) {
  workers_ = workers;
  window_.erase(window_.begin(), window_.end() - 1);  // It begins where the other one ended.
  return true;
}

}  // namespace surety::elastic
