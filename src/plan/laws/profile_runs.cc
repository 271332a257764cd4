#include "plan/laws/profile_runs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace surety::plan {
namespace {

constexpr double kStuckProgress = 0.25;

bool has_pass(const ProfileRun& run, std::uint32_t pass) {
  return std::ranges::any_of(run.points, [&](const CurvePoint& p) { return p.pass == pass; });
}

// Returns 0 if no pass was trained.
std::uint32_t usual_workers(const std::vector<CurvePoint>& points) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const CurvePoint& point : points) {
    if (point.pass > 0) counts[point.workers] += 1;
  }
  std::uint32_t usual = 0;
  for (const auto& [workers, count] : counts) {
    if (usual == 0 || count >= counts[usual]) usual = workers;
  }
  return usual;
}

auto identity(const ProfileRun& run) {
  return std::tie(run.version, run.data_fraction, run.workers, run.seed);
}

}  // namespace

std::vector<ProfileRun> runs_of(const Profile& profile) {
  std::vector<ProfileRun> runs;
  std::map<std::tuple<std::string, double, std::uint32_t>, std::size_t> latest;
  for (const CurvePoint& point : profile.curves) {
    const std::tuple key(point.version, point.data_fraction, point.seed);
    const auto it = latest.find(key);
    if (it == latest.end() || has_pass(runs[it->second], point.pass)) {
      latest[key] = runs.size();
      runs.push_back({point.version, point.seed, point.data_fraction, 0, {}});
    }
    runs[latest[key]].points.push_back(point);
  }
  for (ProfileRun& run : runs) {
    std::ranges::sort(run.points, {}, &CurvePoint::pass);
    run.workers = usual_workers(run.points);
  }
  std::erase_if(runs,
                [](const ProfileRun& run) { return run.workers == 0 || run.points.size() < 2; });
  std::stable_sort(runs.begin(), runs.end(), [](const ProfileRun& a, const ProfileRun& b) {
    if (identity(a) != identity(b)) return identity(a) < identity(b);
    return a.points.size() > b.points.size();
  });
  const auto alike = [](const ProfileRun& a, const ProfileRun& b) {
    return identity(a) == identity(b);
  };
  runs.erase(std::unique(runs.begin(), runs.end(), alike), runs.end());
  return runs;
}

std::vector<bool> stuck_runs(const std::vector<const ProfileRun*>& runs) {
  if (runs.empty()) return {};
  double untrained = runs[0]->points.front().metric;
  double lowest = runs[0]->points.back().metric;
  for (const ProfileRun* run : runs) {
    untrained = std::min(untrained, run->points.front().metric);
    lowest = std::min(lowest, run->points.back().metric);
  }
  const double limit = untrained - kStuckProgress * (untrained - lowest);
  std::vector<bool> stuck;
  for (const ProfileRun* run : runs) {
    stuck.push_back(lowest < untrained && run->points.back().metric > limit);
  }
  return stuck;
}

}  // namespace surety::plan
