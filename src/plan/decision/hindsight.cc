#include "plan/decision/hindsight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/decision/draw_purpose.h"
#include "plan/laws/time_model.h"

namespace surety::plan {
namespace {

// Relative: the simulation computes the same in a different order.
constexpr double kRounding = 1e-9;
// In standard deviations: CounterNormal has 53 bits, so no draw is farther out.
constexpr double kFarthest = 8.5;

// Values that are the same in all runs.
class Hindsight {
 public:
  explicit Hindsight(const Setting& setting) : setting_(setting) {
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    lowest_ = start_ = kInfinity;
    stuck_share_ = 1;
    for (const Variant& variant : setting.variants) {
      const VersionLaw& law = setting.laws.versions[variant.version];
      durations_.push_back(pass_duration(law, variant));
      start_ = std::min(start_, law.curve.at(0));
      stuck_share_ = std::min(stuck_share_, law.stuck_share);
      // A stuck run keeps the metric that a switch gave it, even below the supported one.
      const double low = law.stuck_share > 0 ? std::min(law.metric_supported, law.curve.lowest())
                                             : law.metric_supported;
      lowest_ = std::min(lowest_, low);
      jitter_ = std::max(jitter_, law.jitter);
    }
    lowest_ = std::min(lowest_, start_);
    usable_s_ = setting.deadline_s - setting.certify_s;
  }

  [[nodiscard]] bool may_succeed(std::uint64_t seed, std::uint32_t run) const {
    const CounterNormal normal(seed, run);
    // A checkpoint with at most this metric is certified.
    double needed = setting_.target;
    if (setting_.evaluation_se > 0) {
      needed -= std::numbers::sqrt2 * setting_.evaluation_se * normal.at(0, kCertify);
    }
    needed += kRounding * (1 + std::abs(needed));
    if (start_ <= needed) return true;
    // A pass that the deadline cuts off shows its checkpoint once more. This may count if
    // certifying takes no time.
    if (jitter_ > 0 && !(setting_.certify_s > 0)) return true;
    if (lowest_ - kFarthest * jitter_ > needed) return false;
    if (normal.uniform(0, kStuck) < stuck_share_) return stuck_may(normal, needed);
    return learning_may(normal, needed);
  }

 private:
  // The duration of this pass with the fastest variant for it.
  [[nodiscard]] double least_s(const CounterNormal& normal, std::uint32_t pass) const {
    DurationQuantiles quantiles;
    quantiles.pass = normal.uniform(pass, kTime);
    quantiles.slowest = normal.uniform(pass, kSlowest);
    quantiles.preemptions = normal.uniform(pass, kPreemptions);
    double least = std::numeric_limits<double>::infinity();
    for (const PassDuration& duration : durations_)
      least = std::min(least, draw_s(duration, quantiles));
    return least;
  }

  // Calls visit(pass) for each pass that may end in time, until it returns true.
  template <typename Visit>
  bool any_pass(const CounterNormal& normal, Visit&& visit) const {
    double seconds = 0;
    const std::uint32_t most = std::min(setting_.passes_max, kSimulatedPassesMax);
    for (std::uint32_t pass = 1; pass <= most; ++pass) {
      seconds += least_s(normal, pass);
      if (seconds > usable_s_ * (1 + kRounding)) return false;
      if (visit(pass)) return true;
    }
    return false;
  }

  // The lowest metric after a switch before this pass, without the new version's own limit.
  [[nodiscard]] double jumped(const CounterNormal& normal, std::uint32_t pass,
                              double metric) const {
    double low = 1;
    double high = 1;
    for (const auto& row : setting_.laws.switches) {
      for (const SwitchLaw& jump : row) {
        const double z = jump.log_sd > 0 ? normal.at(pass - 1, kJump) : 0;
        const double factor = std::exp(jump.log_mean + jump.log_sd * z);
        low = std::min(low, factor);
        high = std::max(high, factor);
      }
    }
    return std::min(metric * low, metric * high);
  }

  [[nodiscard]] double jitter_of(const CounterNormal& normal, std::uint32_t pass) const {
    return jitter_ > 0 ? std::min(jitter_ * normal.at(pass, kJitter), 0.0) : 0;
  }

  // For a run that learns with no version, only switches change the metric.
  [[nodiscard]] bool stuck_may(const CounterNormal& normal, double needed) const {
    double metric = start_;
    return any_pass(normal, [&](std::uint32_t pass) {
      metric = std::max(jumped(normal, pass, metric), lowest_);
      return metric + jitter_of(normal, pass) <= needed;
    });
  }

  [[nodiscard]] bool learning_may(const CounterNormal& normal, double needed) const {
    const double spread = setting_.laws.run_effect;
    const double effect = spread > 0 ? std::exp(spread * normal.at(0, kRunEffect)) : 1;
    double metric = start_;
    return any_pass(normal, [&](std::uint32_t pass) {
      const double before = jumped(normal, pass, metric);
      metric = std::min(metric, before);
      for (const Variant& variant : setting_.variants) {
        const VersionLaw& law = setting_.laws.versions[variant.version];
        const double noise = law.noise > 0 ? law.noise * normal.at(pass, kProgress) : 0;
        const double step = std::max(law.rate * effect * (1 + noise), 0.0);
        const double from = law.curve.progress(before);
        metric = std::min(metric, std::isfinite(from) ? law.curve.at(from + step) : before);
      }
      return std::max(metric, lowest_) + jitter_of(normal, pass) <= needed;
    });
  }

  const Setting& setting_;
  std::vector<PassDuration> durations_;  // One entry for each variant.
  double start_ = 0;                     // The lowest metric of an untrained model.
  double lowest_ = 0;                    // The lowest metric that a course can have.
  double jitter_ = 0;                    // The largest jitter of any law.
  double stuck_share_ = 0;  // The smallest share of any law: these runs learn with no version.
  double usable_s_ = 0;
};

}  // namespace

bool hindsight_keeps(const Setting& setting, double probability, std::uint64_t seed,
                     std::uint32_t runs) {
  SURETY_CHECK(runs > 0 && !setting.variants.empty());
  const Hindsight hindsight(setting);
  const auto most = static_cast<double>(runs);
  double may = 0;
  double may_not = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    (hindsight.may_succeed(seed, run) ? may : may_not) += 1;
    // The same division as in simulate().
    if (may / most >= probability) return true;
    if ((most - may_not) / most < probability) return false;
  }
  return may / most >= probability;
}

}  // namespace surety::plan
