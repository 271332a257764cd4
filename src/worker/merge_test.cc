// The end of a step, in which the next model is made (worker/operations/merge.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "worker/fake_host_test.h"
#include "worker/machine.h"
#include "worker/orders_test.h"

namespace surety::worker {
namespace merge_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Merging : public ::testing::Test {
 protected:
  Merging() {
    proto::ToWorker order = prepare(1);
    order.mutable_prepare()->mutable_task()->set_batch(kSamples);
    machine().on_command(order);
    host_.end_work();
  }
  Machine& machine() { return host_.machine(); }
  const State& state() { return machine().state(); }
  // Step 2, up to its merge.
  void begin_merge(bool averages = true) {
    machine().on_command(step(2, 1, averages));
    host_.end_work();
    host_.end_round();
    ASSERT_TRUE(host_.is_merging());
  }
  // Like begin_merge(), but with an exchange instead of a sum.
  void begin_merge_after_exchange() {
    proto::ToWorker message = step(2, 1);
    proto::Asynchronous& order = *message.mutable_step()->mutable_asynchronous();
    order.set_weight(1);
    order.set_steps(1);
    machine().on_command(message);
    host_.end_work();
    for (int tick = 0; tick < 20 && !host_.is_merging(); ++tick) {
      host_.advance_clock(std::chrono::milliseconds(50));
      machine().on_time(host_.last_timer());
    }
    ASSERT_TRUE(host_.is_merging());
  }
  // A step of the same work as step 2, from its beginning to its answer.
  void repeat(bool averages = true) {
    if (!host_.is_working()) machine().on_command(step(3, 1, averages));
    host_.end_work();
    host_.end_round_and_merge();
    EXPECT_EQ(host_.answers().back().sequence(), 3u);
    EXPECT_EQ(host_.answers().back().step_done().samples(), kSamples);
    machine().on_command(step(4, 2, averages));
    EXPECT_EQ(state().model.parameters[0], kSamples);
  }

  FakeHost host_;
};

TEST_F(Merging, AStepIsAnsweredAfterItsMerge) {
  begin_merge();
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
  EXPECT_FALSE(state().tentative);
  host_.advance_clock(std::chrono::seconds(3));
  host_.end_work();
  EXPECT_THAT(host_.answered(), ElementsAre(1u, 2u));
  EXPECT_EQ(host_.answers().back().step_done().reduce_s(), 3);
  EXPECT_EQ(state().tentative->model.parameters[0], kSamples);
}

TEST_F(Merging, AnAsynchronousStepIsAnsweredAfterItsMerge) {
  begin_merge_after_exchange();
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
  EXPECT_FALSE(state().tentative);
  host_.end_work();
  EXPECT_THAT(host_.answered(), ElementsAre(1u, 2u));
  EXPECT_EQ(host_.answers().back().step_done().samples(), kSamples);
  EXPECT_EQ(state().tentative->model.parameters[0], kSamples);
}

TEST_F(Merging, AMergeThatIsReplacedByANewerCommandChangesNothing) {
  begin_merge();
  machine().on_command(step(3, 1));
  EXPECT_TRUE(host_.is_told_to_stop());
  EXPECT_EQ(machine().command()->sequence(), 2u);
  host_.end_work();  // The merge runs to its end.
  EXPECT_EQ(machine().command()->sequence(), 3u);
  EXPECT_FALSE(state().tentative);
  EXPECT_EQ(state().model.parameters[0], 0);
  EXPECT_EQ(state().learned->result.samples, kSamples);
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
  repeat();
}

TEST_F(Merging, AMergeThatIsReplacedAfterAnExchangeKeepsWhatWasLearned) {
  begin_merge_after_exchange();
  machine().on_command(step(3, 1));
  host_.end_work();
  EXPECT_FALSE(state().tentative);
  EXPECT_EQ(state().learned->result.samples, kSamples);
  repeat();
}

TEST_F(Merging, AMergeThatIsReplacedMayFail) {
  begin_merge();
  machine().on_command(step(3, 1));
  host_.fail_work({ErrorCode::kUnavailable, "stopped"});
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
  repeat();
}

// The work has not become a part of a sum, so it is learned again.
TEST_F(Merging, AReplacedMergeOfCocoaLeavesNothing) {
  begin_merge(false);
  machine().on_command(step(3, 1, false));
  host_.end_work();
  EXPECT_FALSE(state().tentative);
  EXPECT_FALSE(state().learned);
  repeat(false);
}

TEST_F(Merging, AMergeThatFailsFailsTheStep) {
  begin_merge();
  host_.fail_work({ErrorCode::kUnavailable, "out of memory"});
  EXPECT_THAT(host_.answers().back().failed().message(), HasSubstr("out of memory"));
  EXPECT_TRUE(host_.answers().back().failed().fatal());
  EXPECT_FALSE(state().tentative);
  repeat();
}

TEST_F(Merging, NothingIsAnsweredIfTheCoordinatorIsLostMeanwhile) {
  begin_merge();
  machine().on_coordinator_lost();
  proto::Welcome welcome;
  welcome.set_worker(5);
  machine().on_welcome(welcome, true);
  EXPECT_EQ(state().self, WorkerId{1});  // The merge uses what the worker holds.
  host_.end_work();
  EXPECT_EQ(state().self, WorkerId{5});
  EXPECT_FALSE(state().tentative);
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
}

TEST_F(Merging, ALostConnectionDoesNotMatterAnyMore) {
  begin_merge_after_exchange();
  machine().on_network(WorkerLost{WorkerId{1}, "closed"});
  machine().on_time(host_.last_timer());
  EXPECT_FALSE(host_.is_told_to_stop());
  host_.end_work();
  EXPECT_TRUE(host_.answers().back().has_step_done());
}

TEST_F(Merging, NobodyIsAskedForValuesAnyMore) {
  host_.miss({WorkerId{4}});
  begin_merge();
  machine().on_time(host_.last_timer());
  EXPECT_EQ(host_.times_asked(), 0);
}

}  // namespace merge_test
}  // namespace surety::worker
