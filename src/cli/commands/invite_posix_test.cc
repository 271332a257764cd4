// surety invite, with a real run and a worker of its own keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace invite_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Invite : public ::testing::Test {
 protected:
  Invite() {
    std::vector<std::string> arguments =
        runs_.training(kEndless, {"cluster={local: 1, listen: \"127.0.0.1:0\"}"});
    run_.emplace(runs_.start(arguments, "run.log"));
    (void)runs_.address("run.log");
  }
  Finished invite(std::vector<std::string> more) {
    more.insert(more.begin(), {"invite", runs_.path("run")});
    return runs_.surety_in(runs_.path(""), more);
  }
  posix::Process worker(const std::string& log) {
    return runs_.start({"worker", "--invitation", runs_.path("gpu-3.invitation")}, log);
  }
  // The number of the invited worker. None before it has joined.
  static std::optional<std::uint32_t> number(const Records& records) {
    const auto found = std::ranges::find_if(records, [](const proto::JournalRecord& record) {
      return record.worker_joined().invitation() == "gpu-3";
    });
    if (found == records.end()) return std::nullopt;
    return found->worker_joined().worker();
  }
  static bool has_joined(const Records& records) { return number(records).has_value(); }

  Runs runs_;
  std::optional<posix::Process> run_;
};

TEST_F(Invite, AnInvitedWorkerJoinsAndIsRemovedWhenItsInvitationIsWithdrawn) {
  const Finished invited = invite({"gpu-3"});
  ASSERT_EQ(invited.code, kKept) << invited.output;
  EXPECT_THAT(invited.output, HasSubstr("surety worker --invitation gpu-3.invitation"));
  posix::Process joined = worker("worker.log");
  ASSERT_TRUE(runs_.wait_for("the invited worker joins", has_joined, &*run_));
  const auto its_number = number(runs_.journal("run"));
  ASSERT_TRUE(its_number);
  EXPECT_THAT(invite({}).output, AllOf(HasSubstr("gpu-3  until 20"),
                                       HasSubstr(fmt::format("joined as worker {}", *its_number))));
  // The worker learns its number after it is in the journal.
  EXPECT_TRUE(runs_.wait_for_output(
      "worker.log", fmt::format("joined the run as worker {}", *its_number), 1, &joined));
  EXPECT_THAT(runs_.surety({"status", runs_.path("run")}).output, HasSubstr("invited as gpu-3"));
  ASSERT_EQ(invite({"gpu-3", "--withdraw"}).code, kKept);
  const auto ended = joined.wait(posix::kTestPatience);
  ASSERT_TRUE(ended);
  EXPECT_NE(ended->code, 0);
  EXPECT_THAT(runs_.output("worker.log"), HasSubstr("withdrawn"));
  posix::Process again = worker("again.log");
  const auto refused = again.wait(posix::kTestPatience);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->code, 0);
  EXPECT_THAT(runs_.output("again.log"), HasSubstr("the invitation of this worker is not valid"));
  // The run goes on.
  EXPECT_TRUE(runs_.wait_for_passes(passes(runs_.journal("run")) + 2, &*run_));
}

TEST_F(Invite, BadInputIsRefusedAndLeavesNoInvitation) {
  EXPECT_EQ(invite({"a/b"}).code, kUsage);
  EXPECT_EQ(invite({"gpu-3", "--days", "0"}).code, kUsage);
  EXPECT_EQ(invite({"gpu-3", "--out", "/nowhere/file"}).code, kUsage);
  EXPECT_EQ(invite({"gpu-3", "--withdraw"}).code, kUsage);
  const Finished both = runs_.surety({"worker", "--invitation", "a", "--token", "b"});
  EXPECT_EQ(both.code, kUsage);
  EXPECT_THAT(both.output, HasSubstr("--invitation excludes --token"));
  EXPECT_THAT(invite({}).output, HasSubstr("nobody is invited"));
  ASSERT_EQ(::mkfifo(runs_.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(invite({"gpu-3", "--out", runs_.path("pipe")}).code, kUsage);
  // A new invitation that cannot be written leaves the earlier one valid.
  ASSERT_EQ(invite({"gpu-3"}).code, kKept);
  EXPECT_EQ(invite({"gpu-3", "--out", "/nowhere/file"}).code, kUsage);
  posix::Process joined = worker("worker.log");
  EXPECT_TRUE(runs_.wait_for("the invited worker joins", has_joined, &*run_));
  const Finished none = runs_.surety({"worker", "--invitation", runs_.path("none.invitation")});
  EXPECT_EQ(none.code, kUsage) << none.output;
}

TEST_F(Invite, ASecondInvitationOfAWorkerSaysThatTheFirstOneEnds) {
  const std::string says = "It replaces the earlier invitation of gpu-3";
  EXPECT_THAT(invite({"gpu-3"}).output, Not(HasSubstr(says)));
  EXPECT_THAT(invite({"gpu-3"}).output, HasSubstr(says));
}

}  // namespace invite_posix_test
}  // namespace surety::cli
