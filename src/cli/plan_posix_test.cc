// `surety plan` as users call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/posix/file.h"
#include "cli/commands.h"
#include "cli/runs_test.h"

namespace surety::cli {
namespace plan_posix_test {

using ::testing::HasSubstr;

TEST(PlanCommand, DrawsThePlanOfAProfileAndOverwritesNothingElse) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished measured = runs.surety({"profile", job, "--out", runs.path("p")});
  ASSERT_EQ(measured.code, kKept) << measured.output;
  const std::string profile = runs.path("p") + "/profile", page = runs.path("plan.html");

  const Finished planned = runs.surety({"plan", job, "--profile", profile, "--plot", page});
  EXPECT_TRUE(planned.code == kKept || planned.code == kInfeasible) << planned.output;
  EXPECT_THAT(planned.output, HasSubstr("Promise "));
  const auto html = posix::read_file(page);
  ASSERT_TRUE(html) << html.error().message;
  EXPECT_THAT(*html, HasSubstr("</html>"));

  std::ofstream(runs.path("thesis.txt")) << "years of work";
  const Finished refused =
      runs.surety({"plan", job, "--profile", profile, "--plot", runs.path("thesis.txt")});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(refused.output, HasSubstr("it is not overwritten"));
  EXPECT_EQ(posix::read_file(runs.path("thesis.txt")).value_or(""), "years of work");
}

TEST(PlanCommand, PageInAFolderThatIsMissingIsRefusedBeforeAnyWork) {
  Runs runs;
  const Finished run =
      runs.surety({"plan", runs.glm_job(), "--plot", runs.path("nowhere") + "/plan.html"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.output, HasSubstr("nowhere does not exist"));
}

TEST(PlanCommand, PlannerThatIsNotThereIsRefusedWithTheListOfThem) {
  Runs runs;
  const Finished run = runs.surety({"plan", runs.glm_job(), "--planner", "sideways"});
  EXPECT_EQ(run.code, kUsage);
  for (const char* name : {"closed-loop", "open-loop", "mean"}) {
    EXPECT_THAT(run.output, HasSubstr(name));
  }
}

}  // namespace plan_posix_test
}  // namespace surety::cli
