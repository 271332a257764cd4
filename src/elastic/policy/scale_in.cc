#include "elastic/policy/scale_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace surety::elastic {
namespace {

// Number of iterations that determine the rate in a try of the least number. Iterations of one
// worker are long and regular.
constexpr std::size_t kMinimumWindow = 2;

}  // namespace

ScaleIn::ScaleIn(std::uint32_t workers, ScaleInOptions options)
    : options_(options),
      workers_(workers),
      window_({.iterations_min = options.window,
               .iterations_max = options.window_max,
               .fall = options.fall}) {
  SURETY_CHECK(workers >= 1 && options.workers_min >= 1 && options.window >= 2);
}

bool ScaleIn::observe(double duality_gap, double seconds) {
  if (!(duality_gap > 0) || !std::isfinite(duality_gap) || !(seconds > 0)) return false;
  clock_ += seconds;
  window_.add(clock_, duality_gap);
  if (try_ && try_->is_first) {
    window_.restart();
    try_->is_first = false;
    return false;
  }
  if (window_.iterations() < (try_ && try_->is_of_minimum ? kMinimumWindow : options_.window)) {
    return false;
  }
  const double rate_now = window_.rate();
  const bool is_below_ratio = try_ && rate_now < options_.abort_below_ratio * rate_expected(*try_);
  if (!window_.is_full() && !is_below_ratio) return false;
  rates_[workers_] = rate_now;
  if (!try_) return try_fewer(rate_now);
  const Try ended = *std::exchange(try_, std::nullopt);
  return judge(ended, rate_now);
}

void ScaleIn::observe_transition(double duality_gap, double seconds) {
  if (!(duality_gap > 0) || !std::isfinite(duality_gap) || !(seconds > 0)) return;
  clock_ += seconds;
  window_.add(clock_, duality_gap);
  window_.restart();
}

void ScaleIn::limit(std::uint32_t workers) {
  SURETY_CHECK(workers >= 1);
  *this = ScaleIn(workers, options_);
}

// The expected current rate of the larger number if training had continued with it.
double ScaleIn::rate_expected(const Try& current) const {
  if (!current.is_of_minimum) return current.rate_before;
  const double deeper = std::max(0.0, window_.depth() - current.depth_before);
  return current.rate_before * std::exp(-course_.trend() * deeper);
}

// An iteration takes half as many workers twice as long if it consists only of computing. The
// number of iterations is the same as now if fewer partitions do not help.
double ScaleIn::expected_loss(std::uint32_t fewer) const {
  const auto known = losses_.find(fewer);
  const double share = known == losses_.end() ? options_.lost_time_share : known->second;
  const double iterations = static_cast<double>(window_.iterations());
  const double factor = static_cast<double>(workers_) / fewer;
  return share * window_.iteration_time() * factor *
         std::max<double>(options_.window, iterations / factor);
}

// A try takes at most as long as all the time before it, and after a failed try the next one waits
// until the time has doubled. So there are few tries even if training takes long. No other budget
// limits these tries, because the loss of one try says little about that of the next, which has
// another gap.
bool ScaleIn::is_time_for_minimum(double rate_now) const {
  if (!options_.minimum_first || clock_ < 2 * minimum_failed_at_.value_or(0)) return false;
  const double factor = static_cast<double>(workers_) / options_.workers_min;
  return rate_now <= options_.decayed_ratio * rate_best_ &&
         clock_ >= kMinimumWindow * window_.iteration_time() * factor;
}

bool ScaleIn::try_fewer(double rate_now) {
  const double depth_now = window_.depth();
  if (rate_now > 0) {
    rate_best_ = std::max(rate_best_, rate_now);
    course_.add(depth_now, rate_now);
  }
  const bool is_time = is_time_for_minimum(rate_now);
  window_.slide();
  if (workers_ <= options_.workers_min || !(rate_now > 0)) return false;
  const std::uint32_t half = std::max(options_.workers_min, workers_ / 2);
  // If the least number has failed, halves are tried until the least number may be tried again.
  const bool is_for_minimum =
      options_.minimum_first && (is_time || !minimum_failed_at_ || half == options_.workers_min);
  if (is_for_minimum && !is_time) return false;
  const bool is_too_dear = lost_ + expected_loss(half) > options_.lost_time_budget * clock_;
  if (!is_for_minimum && is_too_dear) return false;
  return begin({.before = workers_,
                .rate_before = rate_now,
                .depth_before = depth_now,
                .began = clock_,
                .is_of_minimum = is_for_minimum,
                .is_first = is_for_minimum},
               is_for_minimum ? options_.workers_min : half);
}

bool ScaleIn::begin(Try next, std::uint32_t fewer) {
  reason_ =
      fmt::format("with {} workers, the logarithm of the gap falls by {:.3g} per second: trying {}",
                  next.before, next.rate_before, fewer);
  try_ = next;
  return change_to(fewer);
}

bool ScaleIn::judge(const Try& ended, double rate_now) {
  const double expected = rate_expected(ended);
  const double loss = 1 - rate_now / expected;
  lost_ = std::max(0.0, lost_ + (clock_ - ended.began) * loss);
  if (loss <= 0) {
    reason_ = fmt::format(
        "{}: the logarithm of the gap falls by {:.3g} per second; with {} workers it would fall by "
        "{:.3g}",
        workers_ == 1 ? "1 worker stays" : fmt::format("{} workers stay", workers_), rate_now,
        ended.before, expected);
    course_.clear();
    return false;
  }
  losses_[workers_] = std::min(loss, 1.0);
  if (ended.is_of_minimum) minimum_failed_at_ = clock_;
  reason_ = fmt::format(
      "back to {} workers: with {}, the logarithm of the gap falls by {:.3g} per second; with {} "
      "it would fall by {:.3g}",
      ended.before, workers_, rate_now, ended.before, expected);
  return change_to(ended.before);
}

bool ScaleIn::change_to(std::uint32_t workers) {
  workers_ = workers;
  window_.restart();
  return true;
}

}  // namespace surety::elastic
