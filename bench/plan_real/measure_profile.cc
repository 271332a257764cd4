#include "measure_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"

namespace surety::bench {
namespace {

constexpr std::uint64_t kTimeSeed = 3;  // Seed of the profile's virtual clock.

class ProfileRun {
 public:
  ProfileRun(const Study& study, Trajectories& trajectories, std::uint32_t seed,
             std::size_t version)
      : study_(study),
        trajectories_(trajectories),
        seed_(seed),
        version_(version),
        path_(study.versions[version].name) {}

  Result<void> measure(plan::Profile& profile) {
    for (std::uint32_t pass = 0; pass <= study_.profile_passes; ++pass) {
      if (pass > 0) path_ = path_.then(path_.version());
      SURETY_TRY(const Point point, trajectories_.at(seed_, path_));
      profile.curves.push_back({path_.version(), seed_, 1, pass, point.metric, point.metric_se,
                                seconds_of(pass), study_.eval_s, 1});
      if (pass == study_.profile_passes / 2) SURETY_TRY(measure_changes(profile));
    }
    return {};
  }

 private:
  [[nodiscard]] double seconds_of(std::uint32_t pass) const {
    if (pass == 0) return 0;
    const surety::CounterNormal numbers(kTimeSeed, seed_);
    const double seconds =
        study_.versions[version_].pass_s *
        std::exp(study_.time_log_sd * numbers.at(pass, static_cast<std::uint32_t>(version_)));
    return std::round(1000 * seconds) / 1000;
  }

  // Changes a pruned run, in its middle, to each version that is pruned less, and trains one pass.
  Result<void> measure_changes(plan::Profile& profile) {
    SURETY_TRY(const Point before, trajectories_.at(seed_, path_));
    for (std::size_t to = 0; to < version_; ++to) {
      const std::string& name = study_.versions[to].name;
      SURETY_TRY(const Point after, trajectories_.at(seed_, path_.then(name)));
      profile.switches.push_back({path_.version(), name, seed_, path_.passes(), before.metric,
                                  after.metric, study_.switch_s, 1});
    }
    return {};
  }

  const Study& study_;
  Trajectories& trajectories_;
  std::uint32_t seed_;
  std::size_t version_;
  Path path_;
};

}  // namespace

Result<plan::Profile> measure_profile(const Study& study, Trajectories& trajectories) {
  plan::Profile measured;
  for (std::uint32_t seed = 1; seed <= study.profile_seeds; ++seed) {
    for (std::size_t version = 0; version < study.versions.size(); ++version) {
      SURETY_TRY(ProfileRun(study, trajectories, seed, version).measure(measured));
    }
    fmt::print(stderr, "{}: profile seed {} of {}, {} points trained\n", study.name, seed,
               study.profile_seeds, trajectories.trained());
  }
  return measured;
}

Result<double> median_passes_to(double metric, const std::string& version,
                                const plan::Profile& profile) {
  // The passes, and the last metric above the requested one.
  std::map<std::uint32_t, std::pair<double, double>> by_seed;
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  for (const plan::CurvePoint& point : profile.curves) {  // The passes of a seed are in order.
    if (point.version != version) continue;
    auto [it, fresh] = by_seed.try_emplace(point.seed, kNever, point.metric);
    auto& [passes, before] = it->second;
    if (passes < kNever) continue;
    if (point.metric <= metric) {
      const double share = fresh ? 1 : (before - metric) / (before - point.metric);
      passes = std::max(point.pass - 1 + share, 0.0);
    }
    before = point.metric;
  }
  std::vector<double> passes;
  for (const auto& [seed, its] : by_seed) passes.push_back(its.first);
  std::sort(passes.begin(), passes.end());
  if (!passes.empty() && passes[passes.size() / 2] < kNever) return passes[passes.size() / 2];
  return fail(ErrorCode::kInvalidInput,
              "the profile: half of the {} seeds of {} never reach {:.4g}", passes.size(), version,
              metric);
}

}  // namespace surety::bench
