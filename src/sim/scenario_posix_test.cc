#include <gtest/gtest.h>

#include <filesystem>

#include "base/posix/file.h"
#include "sim/scenario.h"

namespace surety::sim {
namespace scenario_posix_test {

std::vector<std::filesystem::path> scenarios() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios")) {
    if (entry.path().filename() != "seeds.txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Scenarios, EachScenarioEndsAsRecorded) {
  ASSERT_GE(scenarios().size(), 7u);
  for (const std::filesystem::path& file : scenarios()) {
    const std::string text = posix::read_file(file).value();
    const auto scenario = read_scenario(file.string(), text);
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_EQ(run_scenario(*scenario), scenario->expected)
        << file << ": surety sim --scenario " << file << " --rewrite writes it anew";
  }
}

TEST(Scenarios, AnInvalidLineIsNamed) {
  const auto scenario = read_scenario("s.txt", "nodes 2\nat 3: crush node 1\n");
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().message, "s.txt:2: found 'crush', expected a fault");
  EXPECT_FALSE(read_scenario("s.txt", "knots 2\n"));
  EXPECT_FALSE(read_scenario("s.txt", "nodes\n"));
  EXPECT_FALSE(read_scenario("s.txt", "on phase: crash\n"));
}

}  // namespace scenario_posix_test
}  // namespace surety::sim
