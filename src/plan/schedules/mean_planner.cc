#include "plan/schedules/mean_planner.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr double kRounding = 1e-9;  // Sums of durations and metrics have smaller errors.

double interpolated(const std::vector<double>& at, const std::vector<double>& values, double x) {
  if (x <= at.front()) return values.front();
  if (x >= at.back()) return values.back();
  const auto above = std::upper_bound(at.begin(), at.end(), x);
  const auto high = static_cast<std::size_t>(above - at.begin());
  const double share = (x - at[high - 1]) / (at[high] - at[high - 1]);
  return values[high - 1] + share * (values[high] - values[high - 1]);
}

double mean_ticks(const std::vector<double>& duration) {
  double sum = 0;
  double total = 0;
  for (std::size_t d = 0; d < duration.size(); ++d) {
    sum += duration[d] * static_cast<double>(d);
    total += duration[d];
  }
  return total > 0 ? sum / total : std::numeric_limits<double>::infinity();
}

struct Point {
  double cost = 0;
  double ticks = 0;
  double metric = 0;
};

class MeanSearch {
 public:
  MeanSearch(const Mdp& mdp, const MeanCurves& curves, const MeanOptions& options)
      : mdp_(mdp),
        curves_(curves),
        options_(options),
        goal_(options.target - options.margin),
        ticks_max_(options.deadline_share * mdp.ticks) {
    for (const MdpVariant& variant : mdp.variants) ticks_.push_back(mean_ticks(variant.duration));
    best_.cost = std::numeric_limits<double>::infinity();
  }

  // Adds a block of at least one pass and then possibly others; prefix_ ends with its leg.
  void walk(Point at) {
    const std::size_t v = prefix_.back().variant;
    while (can_run(v, at)) {
      at = {at.cost + mdp_.variants[v].cost, at.ticks + ticks_[v],
            interpolated(curves_.metrics, curves_.pass[v], at.metric)};
      prefix_.back().passes += 1;
      if (at.metric <= goal_ + kRounding) {
        best_ = {prefix_, at.cost, at.metric, at.ticks};
        return;  // More passes, or another continuation, would only cost more.
      }
      if (prefix_.size() < options_.blocks_max) switch_from(v, at);
    }
  }

  void start(std::size_t variant, const Point& at) {
    prefix_ = {{variant, 0}};
    walk(at);
  }

  [[nodiscard]] std::optional<MeanPlan> best() const {
    if (best_.schedule.empty()) return std::nullopt;
    return best_;
  }

 private:
  [[nodiscard]] bool can_run(std::size_t v, const Point& at) const {
    const MdpVariant& variant = mdp_.variants[v];
    return at.ticks + ticks_[v] <= ticks_max_ + kRounding && at.ticks >= variant.first_tick &&
           at.ticks <= variant.last_tick && at.cost + variant.cost < best_.cost;
  }

  void switch_from(std::size_t v, const Point& at) {
    for (const MdpSwitch& change : mdp_.switches[v]) {
      Point after{at.cost + change.cost, at.ticks + change.ticks, at.metric};
      if (change.jump) {
        after.metric = interpolated(curves_.metrics, curves_.jumps[*change.jump], at.metric);
      }
      prefix_.push_back({change.to, 0});
      walk(after);
      prefix_.pop_back();
    }
  }

  const Mdp& mdp_;
  const MeanCurves& curves_;
  const MeanOptions& options_;
  double goal_;
  double ticks_max_;
  std::vector<double> ticks_;  // Mean duration of a pass of each variant.
  Schedule prefix_;            // Passes counted by walk(); legs added and removed by switch_from().
  MeanPlan best_;              // The cost is infinite if there is no schedule yet.
};

double mean_after_pass(const VersionLaw& law, double metric) {
  const double progress = law.curve.progress(metric);
  if (!std::isfinite(progress)) return metric;
  return std::max(law.curve.at(progress + law.rate), law.metric_supported);
}

double mean_after_jump(const Setting& setting, std::size_t from, std::size_t to, double metric) {
  const double lowest = setting.law_of(to).curve.lowest();
  SwitchLaw jump;  // No jump if only the number of nodes changes.
  if (setting.rank_of(from) != setting.rank_of(to)) {
    jump = setting.laws.switches[setting.rank_of(from)][setting.rank_of(to)];
  }
  const double factor = std::exp(jump.log_mean + jump.log_sd * jump.log_sd / 2);
  return std::max(std::max(metric, lowest) * factor, lowest);
}

// From just above the lowest floor to the highest start plus a jump; denser at the lower end.
std::vector<double> law_metrics(const Setting& setting) {
  // The error is 1e-5 of the metric, after all passes together.
  static constexpr int kPoints = 1000;
  double floor = std::numeric_limits<double>::infinity();
  double top = -floor;
  for (const VersionLaw& law : setting.laws.versions) {
    floor = std::min(floor, law.curve.floor);
    top = std::max(top, law.curve.at(0));
  }
  const double span = std::max(2 * (top - floor), 1e-9);
  const double ratio = std::log(1e-4);
  std::vector<double> metrics;
  for (int i = kPoints; i-- > 0;) {
    metrics.push_back(floor + span * std::exp(ratio * i / (kPoints - 1)));
  }
  return metrics;
}

}  // namespace

MeanCurves mean_curves(const Setting& setting, const Mdp& mdp,
                       const std::vector<MdpStart>& starts) {
  SURETY_CHECK(mdp.variants.size() == setting.variants.size());
  MeanCurves curves;
  curves.metrics = law_metrics(setting);
  for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
    auto& values = curves.pass.emplace_back();
    for (const double metric : curves.metrics) {
      values.push_back(mean_after_pass(setting.law_of(v), metric));
    }
  }
  curves.jumps.resize(mdp.jumps.size());
  for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
    for (const MdpSwitch& change : mdp.switches[v]) {
      if (!change.jump || !curves.jumps[*change.jump].empty()) continue;
      for (const double metric : curves.metrics) {
        curves.jumps[*change.jump].push_back(mean_after_jump(setting, v, change.to, metric));
      }
    }
  }
  for (const MdpStart& start : starts) {
    curves.starts.push_back(setting.law_of(start.variant).curve.at(0));
  }
  return curves;
}

std::optional<MeanPlan> mean_schedule(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                      const MeanCurves& curves, const MeanOptions& options) {
  SURETY_CHECK(curves.metrics.size() >= 2 && curves.starts.size() == starts.size());
  SURETY_CHECK(curves.pass.size() == mdp.variants.size() && options.blocks_max > 0);
  MeanSearch search(mdp, curves, options);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    search.start(starts[i].variant, {starts[i].cost, 0, curves.starts[i]});
  }
  return search.best();
}

}  // namespace surety::plan
