#include "worker/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <new>

#include "worker/fake_host_test.h"
#include "worker/orders_test.h"

namespace surety::worker {
namespace session_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Worker : public ::testing::Test {
 protected:
  // A session with a model and a chunk.
  void begin() {
    machine().on_command(prepare(1));
    host_.end_work();
    ASSERT_THAT(host_.answered(), ElementsAre(1u));
  }
  Machine& machine() { return host_.machine(); }
  const learn::Model& model() { return machine().state().model; }

  FakeHost host_;
};

TEST_F(Worker, AStepIsTentativeUntilALaterCommandCommitsIt) {
  begin();
  machine().on_command(step(2, 1));
  host_.end_work();
  host_.end_round_and_merge();
  EXPECT_EQ(model().parameters[0], 0);
  machine().on_command(step(3, 2));
  EXPECT_EQ(model().parameters[0], 8);
  EXPECT_THAT(host_.answered(), ElementsAre(1u, 2u));
}

TEST_F(Worker, ACommandThatDoesNotCommitDiscardsWhatIsTentative) {
  begin();
  machine().on_command(step(2, 1, false));
  host_.end_work();
  host_.end_round_and_merge();
  machine().on_command(step(3, 1, false));
  EXPECT_EQ(model().parameters[0], 0);
  EXPECT_FALSE(machine().state().tentative);
}

// The command and the stopped work use the same model and chunks.
TEST_F(Worker, ANewerCommandWaitsUntilTheStoppedWorkHasReported) {
  begin();
  machine().on_command(step(2, 1));
  machine().on_command(prepare(3));
  EXPECT_TRUE(host_.is_told_to_stop());
  EXPECT_EQ(machine().command()->sequence(), 2u);
  host_.end_work();  // The learning of the step.
  EXPECT_EQ(machine().command()->sequence(), 3u);
  host_.end_work();
  EXPECT_THAT(host_.answered(), ElementsAre(1u, 3u));
}

TEST_F(Worker, OfManyWaitingCommandsOnlyTheNewestIsAnswered) {
  begin();
  machine().on_command(step(2, 1));
  machine().on_command(step(3, 1));
  machine().on_command(step(4, 1));
  while (host_.is_working()) host_.end_work();
  host_.end_round_and_merge();
  EXPECT_THAT(host_.answered(), ElementsAre(1u, 4u));
}

TEST_F(Worker, WhatLocalSgdLearnedUntilItWasStoppedIsKeptForTheSameWork) {
  begin();
  machine().on_command(step(2, 1));
  machine().on_command(step(3, 1));
  host_.end_work();  // It learns one sample and stops.
  ASSERT_TRUE(machine().state().learned);
  EXPECT_EQ(machine().state().learned->result.samples, 1u);
  host_.end_work();  // It learns the other seven.
  host_.end_round_and_merge();
  EXPECT_EQ(host_.answers().back().step_done().samples(), kSamples);
  machine().on_command(step(4, 2));
  EXPECT_EQ(model().parameters[0], 8);
}

TEST_F(Worker, AStoppedWorkOfCocoaLeavesNothing) {
  begin();
  machine().on_command(step(2, 1, false));
  machine().on_command(step(3, 1, false));
  host_.end_work();
  EXPECT_FALSE(machine().state().learned);
  host_.end_work();
  host_.end_round_and_merge();
  EXPECT_EQ(host_.answers().back().step_done().samples(), kSamples);
}

TEST_F(Worker, ANewerCommandLeavesTheRound) {
  begin();
  machine().on_command(step(2, 1));
  host_.end_work();
  ASSERT_TRUE(host_.is_in_round());
  machine().on_command(prepare(3));
  EXPECT_FALSE(host_.is_in_round());
  machine().on_network(RoundDone{.sequence = 2, .result = {.values = {8, 8, 8, 0}}});
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
}

TEST_F(Worker, ARoundThatFailsBlamesAWorkerAndIsNotFatal) {
  begin();
  machine().on_command(step(2, 1));
  host_.end_work();
  machine().on_network(RoundFailed{2, {ErrorCode::kUnavailable, "worker 7 is lost"}, WorkerId{7}});
  const proto::Failed& failed = host_.answers().back().failed();
  EXPECT_EQ(failed.blamed(), 7u);
  EXPECT_FALSE(failed.fatal());
}

TEST_F(Worker, NothingIsAnsweredOnceTheCoordinatorIsLost) {
  begin();
  machine().on_command(step(2, 1));
  machine().on_coordinator_lost();
  EXPECT_TRUE(host_.is_told_to_stop());
  host_.end_work();
  EXPECT_FALSE(host_.is_in_round());
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
}

TEST_F(Worker, AWelcomeWaitsForTheStoppedWorkAndKeepsTheSamples) {
  begin();
  machine().on_command(step(2, 1));
  machine().on_coordinator_lost();
  proto::Welcome welcome;
  welcome.set_worker(5);
  machine().on_welcome(welcome, true);
  EXPECT_EQ(machine().state().self, WorkerId{1});
  host_.end_work();
  EXPECT_EQ(machine().state().self, WorkerId{5});
  EXPECT_EQ(machine().state().session, std::nullopt);
  EXPECT_THAT(machine().state().chunks.ids(), ElementsAre(ChunkId{3}));
  machine().on_welcome(welcome, false);
  EXPECT_THAT(machine().state().chunks.ids(), IsEmpty());
}

// The computation uses the samples. If the Welcome were forgotten, the next one would keep samples
// of another run.
TEST_F(Worker, AWelcomeOfAnotherRunWaitsForTheWorkEvenIfItsCoordinatorIsLostMeanwhile) {
  begin();
  machine().on_command(step(2, 1));
  proto::Welcome other;
  other.set_worker(5);
  machine().on_welcome(other, false);
  machine().on_command(prepare(3));
  EXPECT_THAT(machine().state().chunks.ids(), SizeIs(1));
  EXPECT_THAT(machine().chunks(), IsEmpty());
  machine().on_coordinator_lost();
  EXPECT_THAT(machine().chunks(), IsEmpty());
  host_.end_work();
  EXPECT_EQ(machine().state().self, WorkerId{5});
  EXPECT_THAT(machine().state().chunks.ids(), IsEmpty());
  EXPECT_EQ(machine().command(), nullptr);
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
}

TEST_F(Worker, AStepWithoutASessionIsRefused) {
  machine().on_command(step(1, 1));
  EXPECT_THAT(host_.answers().back().failed().message(), HasSubstr("no session"));
  EXPECT_TRUE(host_.answers().back().failed().fatal());
}

TEST_F(Worker, WorkOnAChunkThatIsNotHereIsRefused) {
  begin();
  proto::ToWorker order = step(2, 1);
  order.mutable_step()->mutable_items(0)->set_chunk(4);
  machine().on_command(order);
  EXPECT_THAT(host_.answers().back().failed().message(),
              HasSubstr("chunk 4, which this worker does not hold"));
}

// ---- preparation --------------------------------------------------------------------------------

TEST_F(Worker, APreparationWaitsForTheStateOfItsChunks) {
  machine().on_command(prepare(1, 2));
  host_.end_work();
  EXPECT_THAT(host_.answered(), IsEmpty());
  std::vector<float> state(kSamples, 0.5f);
  std::vector<std::byte> bytes(kSamples * sizeof(float));
  std::memcpy(bytes.data(), state.data(), bytes.size());
  host_.add_blob(1, 2, 3, bytes);
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
  EXPECT_EQ(machine().state().chunks.own().at(ChunkId{3}).state, state);
}

// Since the older preparation, its sender may have learned further, or may have lost the chunk.
TEST_F(Worker, AStateThatWasSentForAnOlderPreparationIsNotUsed) {
  machine().on_command(prepare(1, 2));
  machine().on_command(prepare(2, 2));
  host_.end_work();
  host_.end_work();
  host_.add_blob(1, 2, 3, std::vector<std::byte>(kSamples * sizeof(float)));
  EXPECT_THAT(host_.answered(), IsEmpty());
  host_.add_blob(2, 2, 3, std::vector<std::byte>(kSamples * sizeof(float)));
  EXPECT_THAT(host_.answered(), ElementsAre(2u));
}

TEST_F(Worker, AStateOfAnotherLengthIsBlamedOnItsSender) {
  machine().on_command(prepare(1, 2));
  host_.end_work();
  host_.add_blob(1, 2, 3, std::vector<std::byte>(12));
  const proto::Failed& failed = host_.answers().back().failed();
  EXPECT_THAT(failed.message(), HasSubstr("found a state of 3 values for chunk 3, expected 8"));
  EXPECT_EQ(failed.blamed(), 2u);
}

TEST_F(Worker, AStateThatCameBeforeItsSenderWasLostIsUsed) {
  machine().on_command(prepare(1, 2));
  host_.add_blob(1, 2, 3, {});
  machine().on_network(WorkerLost{WorkerId{2}, "closed"});
  host_.end_work();
  EXPECT_TRUE(host_.answers().back().has_prepared());
}

TEST_F(Worker, ALostSenderIsBlamed) {
  machine().on_command(prepare(1, 2));
  machine().on_network(WorkerLost{WorkerId{2}, "closed"});
  host_.end_work();
  EXPECT_EQ(host_.answers().back().failed().blamed(), 2u);
}

TEST_F(Worker, AStateThatDoesNotComeInTimeIsBlamedOnItsSender) {
  machine().on_command(prepare(1, 2));
  host_.end_work();
  machine().on_time(host_.last_timer());
  EXPECT_EQ(host_.answers().back().failed().blamed(), 2u);
}

TEST_F(Worker, ASenderWhoseStateHasComeIsNotToBlameForAnother) {
  proto::ToWorker order = prepare(1, 2);
  proto::ChunkGrant& grant = *order.mutable_prepare()->add_grants();
  grant.mutable_range()->set_id(5);
  grant.mutable_range()->set_count(kSamples);
  grant.set_from(6);
  order.mutable_prepare()->add_owned(5);
  machine().on_command(order);
  host_.end_work();
  host_.add_blob(1, 2, 3, {});
  machine().on_time(host_.last_timer());
  EXPECT_EQ(host_.answers().back().failed().blamed(), 6u);
}

TEST_F(Worker, AHandedOverChunkIsKeptUntilTheNextPreparation) {
  begin();
  proto::ToWorker order = command(2, 0);
  order.mutable_prepare()->set_session(1);
  order.mutable_prepare()->mutable_model()->set_keep(true);
  proto::HandOver& out = *order.mutable_prepare()->add_hand_overs();
  out.set_chunk(3);
  out.set_to(4);
  machine().on_command(order);
  EXPECT_THAT(host_.sent_to(), ElementsAre(WorkerId{4}));
  host_.end_work();
  EXPECT_THAT(host_.answered(), ElementsAre(1u));  // The worker waits until the state has left.
  machine().on_network(BlobSent{2, WorkerId{4}});
  EXPECT_THAT(host_.answered(), ElementsAre(1u, 2u));
  EXPECT_THAT(machine().state().chunks.own(), IsEmpty());
  EXPECT_THAT(machine().state().chunks.ids(), ElementsAre(ChunkId{3}));
}

TEST_F(Worker, ALostRecipientIsBlamedAndTheChunkStays) {
  begin();
  proto::ToWorker order = command(2, 0);
  order.mutable_prepare()->set_session(1);
  proto::HandOver& out = *order.mutable_prepare()->add_hand_overs();
  out.set_chunk(3);
  out.set_to(4);
  machine().on_command(order);
  machine().on_network(WorkerLost{WorkerId{4}, "closed"});
  host_.end_work();
  EXPECT_EQ(host_.answers().back().failed().blamed(), 4u);
  EXPECT_THAT(machine().state().chunks.ids(), ElementsAre(ChunkId{3}));
}

TEST_F(Worker, AFileThatCannotBeReadIsAFatalFailure) {
  proto::ToWorker order = prepare(1);
  order.mutable_prepare()->mutable_model()->set_checkpoint("no/model");
  machine().on_command(order);
  host_.end_work();
  EXPECT_TRUE(host_.answers().back().failed().fatal());
  EXPECT_THAT(host_.answers().back().failed().message(), HasSubstr("no/model"));
}

// ---- waiting in a round -------------------------------------------------------------------------

TEST_F(Worker, WhoWaitsInARoundAsksAgainAndAgainAndSaysForWhom) {
  begin();
  machine().on_command(step(2, 1));
  host_.end_work();
  host_.miss({WorkerId{4}, WorkerId{6}});
  for (int i = 1; i <= 3; ++i) {
    machine().on_time(host_.last_timer());
    EXPECT_EQ(host_.times_asked(), i);
    EXPECT_EQ(host_.answers().back().sequence(), 2u);
    EXPECT_THAT(host_.answers().back().waiting().for_workers(), ElementsAre(4u, 6u));
  }
  host_.end_round_and_merge();
  EXPECT_TRUE(host_.answers().back().has_step_done());
}

// The worker cannot know which of the others are late.
TEST_F(Worker, WhoWaitsInAnExchangeSaysSoButNotWhileItLearns) {
  proto::ToWorker first = prepare(1);
  first.mutable_prepare()->mutable_task()->set_batch(kSamples);
  machine().on_command(first);
  host_.end_work();
  proto::ToWorker message = step(2, 1);
  message.mutable_step()->add_members()->set_worker(6);
  message.mutable_step()->mutable_asynchronous();
  message.mutable_step()->mutable_asynchronous()->set_weight(0.5f);
  message.mutable_step()->mutable_asynchronous()->set_steps(1);
  machine().on_command(message);
  host_.advance_clock(std::chrono::seconds(3));
  machine().on_time(host_.last_timer());
  ASSERT_TRUE(host_.is_working());
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
  while (host_.is_working()) host_.end_work();
  machine().on_time(host_.last_timer());
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
  for (std::size_t i = 1; i <= 2; ++i) {
    host_.advance_clock(std::chrono::seconds(3));
    machine().on_time(host_.last_timer());
    ASSERT_THAT(host_.answers(), SizeIs(1 + i));
    EXPECT_THAT(host_.answers().back().waiting().for_workers(), ElementsAre(6u));
  }
}

TEST_F(Worker, WhoMissesNothingInARoundSaysNothing) {
  begin();
  machine().on_command(step(2, 1));
  host_.end_work();
  machine().on_time(host_.last_timer());
  EXPECT_EQ(host_.times_asked(), 1);
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
}

TEST_F(Worker, NobodyIsAskedBeforeARoundOrAfterIt) {
  begin();
  host_.miss({WorkerId{4}});
  machine().on_command(step(2, 1));
  const std::uint64_t none = host_.last_timer();
  machine().on_time(none);
  host_.end_work();
  const std::uint64_t of_round = host_.last_timer();
  host_.end_round_and_merge();
  machine().on_time(of_round);
  EXPECT_EQ(host_.times_asked(), 0);
}

TEST_F(Worker, ARoundInWhichAMessageWasLostIsRunAgainWithWhatWasLearned) {
  begin();
  machine().on_command(step(2, 1));
  host_.end_work();
  machine().on_network(
      RoundFailed{2, {ErrorCode::kUnavailable, "a message was lost"}, WorkerId{1}});
  EXPECT_FALSE(host_.answers().back().failed().fatal());
  EXPECT_FALSE(host_.is_in_round());
  machine().on_command(step(3, 1));
  host_.end_work();
  EXPECT_TRUE(host_.is_in_round());
  host_.end_round_and_merge();
  EXPECT_TRUE(host_.answers().back().has_step_done());
  EXPECT_EQ(host_.answers().back().step_done().samples(), kSamples);
}

TEST_F(Worker, ARoundThatCannotBeCarriedOutFailsBeforeItBegins) {
  begin();
  std::uint64_t sequence = 2;
  const auto refuses = [&](const std::function<void(proto::Step&)>& spoil) {
    proto::ToWorker order = step(sequence++, 1);
    spoil(*order.mutable_step());
    machine().on_command(order);
    host_.end_work();
    EXPECT_FALSE(host_.is_in_round());
    EXPECT_TRUE(host_.answers().back().failed().fatal());
    return host_.answers().back().failed().message();
  };
  EXPECT_THAT(refuses([](auto& order) { order.mutable_members(0)->set_worker(9); }),
              HasSubstr("this worker is not in it"));
  EXPECT_THAT(refuses([](auto& order) { order.clear_weights(); }), HasSubstr("one weight"));
  EXPECT_THAT(refuses([](auto& order) { order.set_weights(0, NAN); }), HasSubstr("not finite"));
  EXPECT_THAT(refuses([](auto& order) {
                order.add_members()->set_worker(1);
                order.add_weights(1);
              }),
              HasSubstr("ascending"));
}

TEST_F(Worker, AnExchangeNeedsBatchesInItsUpdates) {
  begin();
  proto::ToWorker order = step(2, 1);
  order.mutable_step()->mutable_asynchronous()->set_weight(1);
  machine().on_command(order);
  EXPECT_FALSE(host_.is_working());
  EXPECT_TRUE(host_.answers().back().failed().fatal());
  EXPECT_EQ(host_.answers().back().failed().message(),
            "command 2: found an update of 0 batches, expected at least 1");
}

TEST_F(Worker, AnExchangeNeedsSamplesInItsBatches) {
  begin();
  proto::ToWorker order = step(2, 1);
  order.mutable_step()->mutable_asynchronous()->set_weight(1);
  order.mutable_step()->mutable_asynchronous()->set_steps(1);
  machine().on_command(order);
  EXPECT_FALSE(host_.is_working());
  EXPECT_TRUE(host_.answers().back().failed().fatal());
  EXPECT_EQ(host_.answers().back().failed().message(),
            "command 2: found a batch of 0 samples, expected at least 1");
}

TEST_F(Worker, ACopyNeedsAHolder) {
  proto::ToWorker order = prepare(1);
  order.mutable_prepare()->mutable_model()->mutable_transfer()->add_receivers(1);
  machine().on_command(order);
  EXPECT_THAT(host_.answers().back().failed().message(), HasSubstr("a copy needs a holder"));
}

// ---- exceptions ---------------------------------------------------------------------------------

TEST_F(Worker, AfterAnExceptionTheNextCommandBegins) {
  begin();
  machine().on_command(step(2, 1));
  host_.end_work();
  host_.throw_when_round_is_left();
  EXPECT_THROW(machine().on_command(step(3, 1)), std::bad_alloc);
  machine().on_exception({ErrorCode::kUnavailable, "out of memory"});
  ASSERT_TRUE(host_.is_working());
  host_.end_work();
  host_.end_round_and_merge();
  EXPECT_EQ(host_.answers().back().sequence(), 3u);
  EXPECT_TRUE(host_.answers().back().has_step_done());
}

// ---- probes -------------------------------------------------------------------------------------

proto::ToWorker probe(std::uint32_t from, std::uint32_t to) {
  proto::ToWorker order = command(2, 0);
  order.mutable_probe()->mutable_from()->set_worker(from);
  order.mutable_probe()->mutable_to()->set_worker(to);
  order.mutable_probe()->set_bytes(1000);
  return order;
}

TEST_F(Worker, AProbeTimesTheLargeBlobFromTheArrivalOfTheSmallOne) {
  begin();
  machine().on_command(probe(2, 1));
  host_.add_blob(2, 2, 0, {});
  host_.advance_clock(std::chrono::milliseconds(100));
  host_.add_blob(2, 2, 1, {});
  EXPECT_NEAR(host_.answers().back().probed().bytes_per_s(), 10000, 1);
}

// If both blobs arrived before the command, the time between them would not show the speed of the
// link.
TEST_F(Worker, AProbeIsSentWhenItsRecipientIsReady) {
  begin();
  machine().on_command(probe(1, 2));
  EXPECT_THAT(host_.sent_to(), IsEmpty());
  host_.add_blob(2, 2, 0, {});
  EXPECT_THAT(host_.sent_to(), ElementsAre(WorkerId{2}, WorkerId{2}));
  machine().on_network(BlobSent{2, WorkerId{2}});
  machine().on_network(BlobSent{2, WorkerId{2}});
  EXPECT_TRUE(host_.answers().back().has_probed());
}

TEST_F(Worker, TheRecipientOfAProbeSaysThatItIsReady) {
  begin();
  machine().on_command(probe(2, 1));
  EXPECT_THAT(host_.sent_to(), ElementsAre(WorkerId{2}));
  machine().on_network(BlobSent{2, WorkerId{2}});
  EXPECT_THAT(host_.answered(), ElementsAre(1u));
}

}  // namespace session_test
}  // namespace surety::worker
