#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "base/posix/file.h"
#include "sim/seeds.h"

namespace surety::sim {
namespace seeds_posix_test {

TEST(Seeds, EverySeedThatEverFailedRunsToItsEnd) {
  std::istringstream lines(posix::read_file("scenarios/seeds.txt").value());
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    char* end = nullptr;
    const std::uint64_t seed = std::strtoull(line.c_str(), &end, 10);
    if (line.starts_with("#") || seed == 0) continue;
    ++count;
    const SeedKind kind = *end == 'a' ? SeedKind::kAsynchronous : SeedKind::kSynchronous;
    EXPECT_EQ(run_seed(seed, kind).violation, std::nullopt) << line;
  }
  EXPECT_GT(count, 0);
}

// The version changes while faults happen, in both directions and in both kinds of runs.
TEST(Seeds, InSomeRunsChannelsAreRemovedOrPutBack) {
  for (const SeedKind kind : {SeedKind::kSynchronous, SeedKind::kAsynchronous}) {
    std::set<std::string> changes;
    for (std::uint64_t seed = 2; changes.size() < 2 && seed <= 40; seed += 2) {
      const auto plan = seed_options(seed, kind).config.plan;
      ASSERT_TRUE(plan);
      if (plan->blocks.size() < 2) continue;
      const std::string change =
          fmt::format("from {} to {}", plan->blocks[0].version, plan->blocks[1].version);
      if (changes.contains(change)) continue;
      std::string timeline;
      EXPECT_EQ(run_seed(seed, kind, &timeline).violation, std::nullopt) << seed;
      if (timeline.find("the version changes " + change) != std::string::npos) {
        changes.insert(change);
      }
    }
    EXPECT_EQ(changes, (std::set<std::string>{"from full to prune:0.5", "from prune:0.5 to full"}));
  }
}

}  // namespace seeds_posix_test
}  // namespace surety::sim
