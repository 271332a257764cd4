#include "elastic/policy/scale_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "elastic/policy/shares.h"

namespace surety::elastic {
namespace {

// Number of iterations by which the rate of a try of the least number is judged. Iterations of one
// worker are long and even.
constexpr std::size_t kMinimumWindow = 2;
// kTrendSpan: how far back the trend of a rate is measured, in ln(gap), about an order of
// magnitude; further back rates follow other laws. kTrendStep: how far apart the windows are, so
// that there are at most 32.
constexpr double kTrendSpan = 2;
constexpr double kTrendStep = kTrendSpan / 32;
// Limit on how fast the rate sinks: ln(rate) per unit of -ln(gap). The trend of few windows may be
// chance, and a trend makes a try look better.
constexpr double kTrendMax = 0.5;

// How much ln(rate) sinks per unit of -ln(gap); the larger the gap, the faster it falls.
double trend_of(std::span<const Observation> course) {
  if (course.size() < 3) return 0;
  return std::clamp(-theil_sen_slope(course), 0.0, kTrendMax);
}

}  // namespace

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

bool ScaleIn::observe(double duality_gap, double seconds) {
  if (!(duality_gap > 0) || !std::isfinite(duality_gap) || !(seconds > 0)) return false;
  clock_ += options_.per_cost ? seconds * workers_ : seconds;
  window_.push_back({clock_, -std::log(duality_gap)});
  if (is_first_of_try_) {
    window_ = {window_.back()};
    is_first_of_try_ = false;
    return false;
  }
  if (window_.size() <= (phase_ == Phase::kTryingMinimum ? kMinimumWindow : options_.window)) {
    return false;
  }
  const double rate_now = theil_sen_slope(window_);
  const bool is_below_ratio =
      phase_ != Phase::kSteady && rate_now < options_.abort_below_ratio * rate_expected();
  if (!is_full() && !is_below_ratio) return false;
  rates_[workers_] = rate_now;
  return phase_ == Phase::kSteady ? try_fewer(rate_now) : judge(rate_now);
}

void ScaleIn::observe_transition(double duality_gap, double seconds) {
  if (!(duality_gap > 0) || !std::isfinite(duality_gap) || !(seconds > 0)) return;
  clock_ += options_.per_cost ? seconds * workers_ : seconds;
  window_ = {{clock_, -std::log(duality_gap)}};
}

void ScaleIn::limit(std::uint32_t workers) {
  SURETY_CHECK(workers >= 1);
  *this = ScaleIn(workers, options_);
}

bool ScaleIn::is_full() const {
  return fallen() >= options_.fall || window_.size() > options_.window_max;
}

double ScaleIn::iteration_s() const {
  return (window_.back().x - window_.front().x) / static_cast<double>(window_.size() - 1);
}

// The expected current rate of the larger number, had it continued.
double ScaleIn::rate_expected() const {
  if (phase_ != Phase::kTryingMinimum) return rate_before_;
  return rate_before_ * std::exp(-trend_of(course_) * std::max(0.0, depth() - depth_before_));
}

// Half as many workers need twice as long for an iteration, if it is all computing. They need as
// many iterations as now, if fewer parts do not help.
double ScaleIn::expected_loss(std::uint32_t fewer) const {
  const auto known = losses_.find(fewer);
  // Fewer workers hardly ever cost more.
  const double unknown = options_.per_cost ? 0 : options_.lost_time_share;
  const double share = known == losses_.end() ? unknown : known->second;
  const double iterations = static_cast<double>(window_.size() - 1);
  const double factor = options_.per_cost ? 1 : static_cast<double>(workers_) / fewer;
  return share * iteration_s() * factor * std::max<double>(options_.window, iterations / factor);
}

// A try takes no longer than all the time before it, and one that failed is not repeated before the
// time has doubled. So there are few tries, however long training takes; this is their budget. The
// loss of one try says little about the next, because the gap is another.
bool ScaleIn::is_time_for_minimum(double rate_now) const {
  if (!options_.minimum_first || clock_ < 2 * minimum_failed_at_) return false;
  if (options_.per_cost) return true;
  const double factor = static_cast<double>(workers_) / options_.workers_min;
  return rate_now <= options_.decayed_ratio * rate_best_ &&
         clock_ >= kMinimumWindow * iteration_s() * factor;
}

void ScaleIn::remember(double rate_now) {
  rate_best_ = std::max(rate_best_, rate_now);
  if (!course_.empty() && depth() < course_.back().x + kTrendStep) return;
  course_.push_back({depth(), std::log(rate_now)});
  std::erase_if(course_, [this](const Observation& window) {
    return window.x <= course_.back().x - kTrendSpan;
  });
}

bool ScaleIn::try_fewer(double rate_now) {
  if (rate_now > 0) remember(rate_now);
  const bool is_time = is_time_for_minimum(rate_now);
  const double depth_now = depth();
  // The window slides on and is kept as short as possible.
  while (window_.size() > options_.window + 1 && window_.back().y - window_[1].y >= options_.fall) {
    window_.erase(window_.begin());
  }
  if (window_.size() > options_.window_max) window_.erase(window_.begin());
  if (workers_ <= options_.workers_min || !(rate_now > 0)) return false;
  const std::uint32_t half = std::max(options_.workers_min, workers_ / 2);
  // If the least number has failed, halves are tried until it may be tried again.
  const bool is_for_minimum = options_.minimum_first &&
                              (is_time || minimum_failed_at_ == 0 || half == options_.workers_min);
  if (is_for_minimum && !is_time) return false;
  depth_before_ = depth_now;
  if (is_for_minimum) return begin(Phase::kTryingMinimum, options_.workers_min, rate_now);
  if (lost_ + expected_loss(half) > options_.lost_time_budget * clock_) return false;
  return begin(Phase::kTrying, half, rate_now);
}

bool ScaleIn::begin(Phase phase, std::uint32_t fewer, double rate_now) {
  before_ = workers_;
  rate_before_ = rate_now;
  began_ = clock_;
  phase_ = phase;
  is_first_of_try_ = phase == Phase::kTryingMinimum;
  reason_ =
      fmt::format("{} workers reduce ln(gap) by {:.3g}/s: trying {}", workers_, rate_now, fewer);
  return change_to(fewer);
}

bool ScaleIn::judge(double rate_now) {
  const double expected = rate_expected();
  const bool was_minimum = phase_ == Phase::kTryingMinimum;
  phase_ = Phase::kSteady;
  const double loss = 1 - rate_now / expected;
  lost_ = std::max(0.0, lost_ + (clock_ - began_) * loss);
  if (loss <= 0) {
    reason_ =
        fmt::format("{}: {:.3g}/s, not less than the {:.3g}/s of {}",
                    workers_ == 1 ? "1 worker stays" : fmt::format("{} workers stay", workers_),
                    rate_now, expected, before_);
    course_.clear();
    return false;
  }
  losses_[workers_] = std::min(loss, 1.0);
  if (was_minimum) minimum_failed_at_ = clock_;
  reason_ = fmt::format("back to {} workers: {:.3g}/s with {}, less than the expected {:.3g}/s",
                        before_, rate_now, workers_, expected);
  return change_to(before_);
}

bool ScaleIn::change_to(std::uint32_t workers) {
  workers_ = workers;
  // The new window begins where the old one ended.
  window_.erase(window_.begin(), window_.end() - 1);
  return true;
}

}  // namespace surety::elastic
