// Tests of `surety status` as users call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace status_posix_test {

using ::testing::HasSubstr;

TEST(StatusCommand, WithoutARunItListsTheRunsOfTheWorkingFolderInTheOrderInWhichTheyBegan) {
  Runs runs;
  EXPECT_THAT(runs.surety_in(runs.path(""), {"status"}).output, HasSubstr("no runs in ./runs"));
  for (const char* name : {"runs/second", "runs/first"}) {
    ASSERT_EQ(runs.surety({"profile", runs.glm_job(), "--out", runs.path(name)}).code, kKept);
  }
  std::filesystem::create_directories(runs.path("runs/broken"));
  std::ofstream(runs.path("runs/broken/journal.log")) << "nothing of ours";
  const Finished list = runs.surety_in(runs.path(""), {"status"});
  EXPECT_EQ(list.code, kKept);
  EXPECT_THAT(list.output, ::testing::ContainsRegex("runs/broken +.*not a journal"));
  EXPECT_THAT(list.output, ::testing::ContainsRegex("runs/first +ended"));
  EXPECT_LT(list.output.find("runs/second"), list.output.find("runs/first")) << list.output;
  EXPECT_THAT(runs.surety_in(runs.path(""), {"status", "--json"}).output,
              HasSubstr("\"folder\": \"runs/first\""));
}

}  // namespace status_posix_test
}  // namespace surety::cli
