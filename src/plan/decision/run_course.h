// The course of a simulated run: its progress on the law of its version.
//
// Its metric is that of the law at its progress, but not below the metric that the law supports. If
// the stuck share of a version is above the run's quantile, the run does not learn with this
// version: its metric stays.
#pragma once

#include <algorithm>
#include <limits>

#include "plan/types.h"

namespace surety::plan {

class RunCourse {
 public:
  // An untrained run. `effect`: factor on the progress of each pass.
  RunCourse(double effect, double stuck_quantile, const VersionLaw& law)
      : effect_(effect), stuck_quantile_(stuck_quantile), metric_(law.curve.at(0)) {}

  // A run in progress, which has this metric and learns with every version.
  void resume(double metric, const VersionLaw& law) {
    stuck_quantile_ = 1;
    metric_ = metric;
    progress_ = law.curve.progress(std::max(metric, law.curve.lowest()));
  }
  [[nodiscard]] bool is_stuck(const VersionLaw& law) const {
    return stuck_quantile_ < law.stuck_share;
  }
  void advance(double progress) { progress_ += progress; }
  // Sets the metric to that of its progress.
  void measure(const VersionLaw& law) {
    metric_ = std::max(law.curve.at(progress_), law.metric_supported);
  }
  // Sets no exact metric, because it is above all values that matter.
  void leave_unmeasured() { metric_ = std::numeric_limits<double>::infinity(); }
  // Continues on the law of another version, where its metric is `jump` times as high.
  void change_to(const VersionLaw& law, double jump) {
    metric_ = std::max(std::max(metric_, law.curve.lowest()) * jump, law.curve.lowest());
    progress_ = law.curve.progress(metric_);
  }

  [[nodiscard]] double effect() const { return effect_; }
  [[nodiscard]] double progress() const { return progress_; }
  [[nodiscard]] double metric() const { return metric_; }

 private:
  double effect_;
  double stuck_quantile_;
  double progress_ = 0;
  double metric_;
};

}  // namespace surety::plan
