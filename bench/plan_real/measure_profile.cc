#include "measure_profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/check.h"
#include "plan/statistics.h"

namespace surety::bench {
namespace {

constexpr std::uint64_t kTimeSeed = 3;  // Of the virtual clock in the profile.

class ProfileRun {
 public:
  ProfileRun(const Study& study, Trajectories& trajectories, std::uint32_t seed,
             std::size_t version)
      : study_(study),
        trajectories_(trajectories),
        seed_(seed),
        version_(version),
        path_(study.versions[version].name) {}

  Result<void> measure(RealProfile& measured) {
    plan::Profile& profile = measured.profile;
    for (std::uint32_t pass = 0; pass <= study_.profile_passes; ++pass) {
      if (pass > 0) path_ = path_.then(path_.version());
      SURETY_TRY(const Point point, trajectories_.at(seed_, path_));
      profile.curves.push_back({path_.version(), seed_, 1, pass, point.metric, point.metric_se,
                                seconds_of(pass), study_.eval_s, 1});
      if (pass == study_.profile_passes / 2) SURETY_TRY(measure_changes(measured));
    }
    for (const StudyVersion& other : study_.versions) {
      const bool is_jump = (path_.version() == "full") != (other.name == "full");
      if (is_jump) SURETY_TRY(measure_jump(other.name, profile));
    }
    return {};
  }

 private:
  [[nodiscard]] double seconds_of(std::uint32_t pass) const {
    if (pass == 0) return 0;
    const plan::CounterNormal luck(kTimeSeed, seed_);
    const double seconds =
        study_.versions[version_].pass_s *
        std::exp(study_.time_log_sd * luck.at(pass, static_cast<std::uint32_t>(version_)));
    return std::round(1000 * seconds) / 1000;
  }

  // With the metric after one pass for what it is after the change: the pass is taken back later.
  Result<void> measure_changes(RealProfile& measured) {
    SURETY_TRY(const Point before, trajectories_.at(seed_, path_));
    for (std::size_t to = 0; to < version_; ++to) {
      const std::string& name = study_.versions[to].name;
      SURETY_TRY(const Point after, trajectories_.at(seed_, path_.then(name)));
      measured.after_a_pass.push_back({path_.version(), name, seed_, path_.passes(), before.metric,
                                       after.metric, study_.switch_s});
    }
    return {};
  }

  Result<void> measure_jump(const std::string& to, plan::Profile& profile) {
    SURETY_TRY(const Point before, trajectories_.at(seed_, path_));
    SURETY_TRY(const Point after, trajectories_.at(seed_, path_.switched(to)));
    profile.switches.push_back(
        {path_.version(), to, seed_, path_.passes(), before.metric, after.metric, study_.switch_s});
    return {};
  }

  const Study& study_;
  Trajectories& trajectories_;
  std::uint32_t seed_;
  std::size_t version_;
  Path path_;
};

// By version, the median over seeds after so many passes.
std::map<std::string, std::vector<double>> median_curves(const plan::Profile& profile) {
  std::map<std::string, std::map<std::uint32_t, std::vector<double>>> metrics;
  for (const plan::CurvePoint& point : profile.curves) {
    metrics[point.version][point.pass].push_back(point.metric);
  }
  std::map<std::string, std::vector<double>> curves;
  for (const auto& [version, passes] : metrics) {
    for (const auto& [pass, values] : passes) curves[version].push_back(plan::median(values));
  }
  return curves;
}

}  // namespace

double one_pass_before(const std::vector<double>& curve, double metric) {
  SURETY_CHECK(curve.size() >= 2);
  std::vector<double> falling = curve;
  for (std::size_t i = 1; i < falling.size(); ++i)
    falling[i] = std::min(falling[i], falling[i - 1]);
  for (std::size_t i = 1; i < falling.size(); ++i) {
    if (falling[i] > metric) continue;
    if (i == 1) break;  // Within the first pass: from the start.
    const double share = (falling[i - 1] - metric) / (falling[i - 1] - falling[i]);
    return falling[i - 2] + share * (falling[i - 1] - falling[i - 2]);
  }
  return metric >= falling[1] ? falling[0] : falling[falling.size() - 2];
}

Result<RealProfile> measure_profile(const Study& study, Trajectories& trajectories) {
  RealProfile measured;
  for (std::uint32_t seed = 1; seed <= study.profile_seeds; ++seed) {
    for (std::size_t version = 0; version < study.versions.size(); ++version) {
      SURETY_TRY(ProfileRun(study, trajectories, seed, version).measure(measured));
    }
    fmt::print(stderr, "{}: profile seed {} of {}, {} points trained\n", study.name, seed,
               study.profile_seeds, trajectories.trained());
  }
  const auto curves = median_curves(measured.profile);
  for (plan::SwitchPoint& point : measured.after_a_pass) {
    point.metric_after = one_pass_before(curves.at(point.to), point.metric_after);
  }
  return measured;
}

}  // namespace surety::bench
