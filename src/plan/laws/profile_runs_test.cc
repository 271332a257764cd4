#include "plan/laws/profile_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace surety::plan {
namespace profile_runs_test {

CurvePoint point(std::uint32_t seed, std::uint32_t pass, std::uint32_t workers, double metric = 1) {
  CurvePoint result;
  result.version = "full";
  result.seed = seed;
  result.pass = pass;
  result.workers = pass == 0 ? 0 : workers;
  result.metric = metric;
  return result;
}

void add_run(Profile& profile, std::uint32_t seed, const std::vector<std::uint32_t>& workers) {
  profile.curves.push_back(point(seed, 0, 0));
  for (const std::uint32_t w : workers) {
    const std::uint32_t pass = profile.curves.back().pass + 1;
    profile.curves.push_back(point(seed, pass, w));
  }
}

std::vector<std::uint32_t> workers_of(const Profile& profile) {
  std::vector<std::uint32_t> workers;
  for (const ProfileRun& run : runs_of(profile)) workers.push_back(run.workers);
  return workers;
}

using Numbers = std::vector<std::uint32_t>;

TEST(RunsOf, SeedOnTwoNumbersOfWorkersIsTwoRuns) {
  Profile profile;
  add_run(profile, 1, {4, 4, 4});
  add_run(profile, 1, {2, 2, 2});
  add_run(profile, 2, {4, 4, 4});
  EXPECT_EQ(workers_of(profile), (Numbers{2, 4, 4}));
  for (const ProfileRun& run : runs_of(profile)) EXPECT_EQ(run.points.size(), 4u);
  std::ranges::reverse(profile.curves);
  EXPECT_EQ(workers_of(profile), (Numbers{2, 4, 4}));
}

TEST(RunsOf, RunWhoseWorkersDiedCountsForMostOfItsPasses) {
  Profile profile;
  add_run(profile, 1, {4, 4, 4, 3, 3});
  add_run(profile, 2, {4, 3, 3, 3, 3});
  add_run(profile, 3, {4, 4, 3, 3});  // Equal counts, so the larger number is used.
  EXPECT_EQ(workers_of(profile), (Numbers{3, 4, 4}));
}

TEST(RunsOf, TwoRunsOfASeedThatCameOutAlikeCountOnce) {
  Profile profile;
  add_run(profile, 1, {4, 2, 2, 2});
  add_run(profile, 1, {2, 2, 2, 2, 2});
  const std::vector<ProfileRun> runs = runs_of(profile);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].points.size(), 6u);  // The longer run is kept.
}

TEST(RunsOf, SinglePointsAreNoRun) {
  Profile profile;
  profile.curves = {point(1, 0, 0), point(2, 3, 4)};
  EXPECT_TRUE(runs_of(profile).empty());
}

std::vector<bool> stuck(const std::vector<std::pair<double, double>>& from_to) {
  std::vector<ProfileRun> runs;
  for (const auto& [from, to] : from_to) {
    const auto seed = static_cast<std::uint32_t>(runs.size());
    runs.push_back({"full", seed, 1, 4, {point(seed, 0, 0, from), point(seed, 1, 4, to)}});
  }
  std::vector<const ProfileRun*> pointers;
  for (const ProfileRun& run : runs) pointers.push_back(&run);
  return stuck_runs(pointers);
}

using Flags = std::vector<bool>;

TEST(StuckRuns, DeadNetworkIsStuckAndASlowSeedIsNot) {
  // 2.30 is the logarithm of 10 labels, from a bad start. 1.9 is a fall of 0.8 from 2.7; the best
  // run fell by 2.67.
  EXPECT_EQ(stuck({{2.7, 0.03}, {3.95, 2.30}, {2.9, 1.9}}), (Flags{false, true, false}));
}

TEST(StuckRuns, DivergedIsStuckEvenWhereMostAre) {
  EXPECT_EQ(stuck({{1, 5}, {1, 0.1}, {1, 40}}), (Flags{true, false, true}));
}

TEST(StuckRuns, NoRunIsStuckIfNoRunLearns) {
  EXPECT_EQ(stuck({{1, 1}, {1, 1.2}}), (Flags{false, false}));
  EXPECT_EQ(stuck({{1, 1.2}}), (Flags{false}));
}

}  // namespace profile_runs_test
}  // namespace surety::plan
