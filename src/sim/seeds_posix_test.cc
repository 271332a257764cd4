#include <gtest/gtest.h>

#include <sstream>

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
    EXPECT_EQ(run_seed(seed, kind).violation, "") << line;
  }
  EXPECT_GT(count, 0);
}

}  // namespace seeds_posix_test
}  // namespace surety::sim
