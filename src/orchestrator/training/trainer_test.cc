#include "orchestrator/training/trainer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace surety::orchestrator {
namespace trainer_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};
constexpr WorkerId kThird{3};

// A session of CoCoA with chunks of ten samples.
SessionSpec session_of(std::uint32_t chunks) {
  SessionSpec spec;
  spec.task.set_batch(1);
  spec.task.set_local_steps(1);
  spec.cocoa = true;
  for (std::uint32_t i = 0; i < chunks; ++i) {
    spec.chunks.push_back({.id = ChunkId{i}, .source = 0, .first = i * 10, .count = 10});
  }
  return spec;
}

// The answer of a worker that has done all its work.
proto::FromWorker answer_to(const proto::ToWorker& command) {
  proto::FromWorker answer;
  answer.set_sequence(command.sequence());
  if (command.has_prepare()) {
    answer.mutable_prepared()->set_model_checksum(7 + command.model_iteration());
  }
  if (command.has_switch_()) {
    answer.mutable_switched()->set_model_checksum(8 + command.model_iteration());
    answer.mutable_switched()->set_parameters(5);
  }
  if (command.has_step()) {
    std::uint64_t samples = 0;
    for (const proto::WorkItem& item : command.step().items()) samples += item.count();
    answer.mutable_step_done()->set_samples(samples);
    answer.mutable_step_done()->set_model_checksum(7 + command.step().iteration());
  }
  return answer;
}

// Answers these commands, and returns the result.
Outcome answer(Trainer& trainer, const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    trainer.receive(command.to, answer_to(command.message), 0);
  }
  return trainer.take();
}

std::vector<WorkerId> receivers(const Outcome& outcome) {
  std::vector<WorkerId> workers;
  for (const Command& command : outcome.commands) workers.push_back(command.to);
  return workers;
}

// A trainer whose first workers have begun a session.
Trainer begun(std::uint32_t workers, std::uint32_t chunks) {
  Trainer trainer;
  for (std::uint32_t worker = 1; worker <= workers; ++worker) trainer.join(WorkerId{worker}, "");
  trainer.begin(session_of(chunks), 0);
  const Outcome outcome = answer(trainer, trainer.take().commands);
  EXPECT_THAT(outcome.events, SizeIs(1));
  return trainer;
}

TEST(Trainer, AWorkerThatLeavesAfterItsAnswerDoesNotStopThePrepareOfTheOthers) {
  Trainer trainer;
  trainer.join(kFirst, "");
  trainer.join(kSecond, "");
  trainer.begin(session_of(1), 0);
  const Outcome prepare = trainer.take();
  ASSERT_THAT(receivers(prepare), ElementsAre(kFirst, kSecond));
  const auto has_chunk = [&](std::size_t i) {
    return !prepare.commands[i].message.prepare().grants().empty();
  };
  const std::size_t idle = has_chunk(0) ? 1 : 0;
  const WorkerId leaver = prepare.commands[idle].to;
  ASSERT_FALSE(has_chunk(idle));

  EXPECT_THAT(answer(trainer, {prepare.commands[idle]}).events, IsEmpty());
  trainer.leave(leaver);
  ASSERT_THAT(trainer.departed(), ElementsAre(leaver));
  trainer.lose(leaver);
  Outcome outcome = answer(trainer, {prepare.commands[1 - idle]});
  // The leaver made another Prepare necessary, which is sent to the remaining worker.
  EXPECT_THAT(receivers(outcome), ElementsAre(prepare.commands[1 - idle].to));
  outcome = answer(trainer, outcome.commands);
  ASSERT_THAT(outcome.events, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<Begun>(outcome.events[0]));
}

proto::FromWorker failure_of(const Command& command, proto::Fault fault,
                             std::optional<WorkerId> blamed = {}) {
  proto::FromWorker message;
  message.set_sequence(command.message.sequence());
  message.mutable_failed()->set_fault(fault);
  message.mutable_failed()->set_message("the disk is full");
  message.mutable_failed()->set_fatal(!blamed);
  if (blamed) message.mutable_failed()->set_blamed(blamed->value);
  return message;
}

// The result if the first worker reports this failure in its first iteration.
Outcome first_fails_in_a_pass(Trainer& trainer, proto::Fault fault) {
  trainer.start(PassOrder{2}, 0);
  const Outcome step = trainer.take();
  trainer.receive(kFirst, failure_of(step.commands[0], fault), 0);
  return trainer.take();
}

TEST(Trainer, AWorkerWhoseMachineFailsIsGivenUpAndTheOthersGoOn) {
  Trainer trainer = begun(2, 4);
  const Outcome after = first_fails_in_a_pass(trainer, proto::FAULT_MACHINE);
  ASSERT_THAT(after.faulty, SizeIs(1));
  EXPECT_EQ(after.faulty[0].worker, kFirst);
  EXPECT_EQ(after.faulty[0].reason, "the disk is full");
  EXPECT_THAT(after.events, IsEmpty());
  trainer.lose(kFirst);
  EXPECT_THAT(receivers(trainer.take()), ElementsAre(kSecond));
}

TEST(Trainer, AWorkerThatIsLeavingAndFailsIsNotTheLastOne) {
  Trainer trainer = begun(2, 4);
  trainer.leave(kFirst);
  trainer.start(PassOrder{2}, 0);
  const Outcome step = trainer.take();
  const auto of_first =
      std::ranges::find_if(step.commands, [](const auto& command) { return command.to == kFirst; });
  ASSERT_NE(of_first, step.commands.end());
  trainer.receive(kFirst, failure_of(*of_first, proto::FAULT_MACHINE), 0);
  const Outcome after = trainer.take();
  EXPECT_THAT(after.events, IsEmpty());
  ASSERT_THAT(after.faulty, SizeIs(1));
  EXPECT_EQ(after.faulty[0].worker, kFirst);
}

TEST(Trainer, WhatIsWrongWithTheInputEndsTheRunBecauseAllWouldFindIt) {
  Trainer trainer = begun(2, 4);
  const Outcome after = first_fails_in_a_pass(trainer, proto::FAULT_INPUT);
  EXPECT_THAT(after.faulty, IsEmpty());
  ASSERT_THAT(after.events, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<FatalError>(after.events[0]));
}

// The others could read the samples, so only its copy of the data is wrong.
TEST(Trainer, AWorkerThatCannotReadWhatOthersHaveReadIsGivenUp) {
  Trainer trainer = begun(2, 4);
  trainer.start(PassOrder{2}, 0);
  (void)answer(trainer, trainer.take().commands);
  trainer.join(kThird, "");
  trainer.start(PassOrder{3}, 0);
  const Outcome prepare = trainer.take();
  ASSERT_THAT(receivers(prepare), ElementsAre(kFirst, kSecond, kThird));
  trainer.receive(kThird, failure_of(prepare.commands[2], proto::FAULT_INPUT), 0);
  const Outcome after = trainer.take();
  EXPECT_THAT(after.events, IsEmpty());
  ASSERT_THAT(after.faulty, SizeIs(1));
  EXPECT_EQ(after.faulty[0].worker, kThird);
}

// The coordinator has read all samples, so only the worker's copy of the data is wrong.
TEST(Trainer, AWorkerThatCannotReadItsFirstSamplesIsGivenUp) {
  Trainer trainer;
  trainer.join(kFirst, "");
  trainer.join(kSecond, "");
  trainer.begin(session_of(4), 0);
  const Outcome prepare = trainer.take();
  ASSERT_THAT(receivers(prepare), ElementsAre(kFirst, kSecond));
  trainer.receive(kSecond, failure_of(prepare.commands[1], proto::FAULT_INPUT), 0);
  const Outcome after = trainer.take();
  EXPECT_THAT(after.events, IsEmpty());
  ASSERT_THAT(after.faulty, SizeIs(1));
  EXPECT_EQ(after.faulty[0].worker, kSecond);
}

TEST(Trainer, AWorkerThatCannotReadValidationSamplesIsGivenUp) {
  Trainer trainer = begun(2, 4);
  trainer.start(EvaluateOrder{.ranges = {{.id = ChunkId{0}, .count = 10}}}, 0);
  const Outcome evaluate = trainer.take();
  ASSERT_FALSE(evaluate.commands.empty());
  trainer.receive(evaluate.commands[0].to, failure_of(evaluate.commands[0], proto::FAULT_INPUT), 0);
  const Outcome after = trainer.take();
  EXPECT_THAT(after.events, IsEmpty());
  EXPECT_THAT(after.faulty, SizeIs(1));
}

TEST(Trainer, TheLastWorkersFailureIsTheEnd) {
  Trainer trainer = begun(1, 4);
  const Outcome after = first_fails_in_a_pass(trainer, proto::FAULT_MACHINE);
  EXPECT_THAT(after.faulty, IsEmpty());
  ASSERT_THAT(after.events, SizeIs(1));
  EXPECT_EQ(std::get<FatalError>(after.events[0]).error.message, "worker 1: the disk is full");
}

TEST(Trainer, TheLastWorkersLackOfDataIsNotTheEndBecauseAnotherOneMayJoin) {
  Trainer trainer;
  trainer.join(kFirst, "");
  trainer.begin(session_of(4), 0);
  const Outcome prepare = trainer.take();
  trainer.receive(kFirst, failure_of(prepare.commands[0], proto::FAULT_INPUT), 0);
  const Outcome after = trainer.take();
  EXPECT_THAT(after.events, IsEmpty());
  ASSERT_THAT(after.faulty, SizeIs(1));
  EXPECT_EQ(after.faulty[0].fault, proto::FAULT_INPUT);
}

// Each worker compensates the cut, and only the mean of their changes is the whole compensation.
TEST(Trainer, AfterChannelsWereRemovedOneIterationIsSynchronousInAnyMode) {
  for (const job::TrainMode mode :
       {job::TrainMode::kAsync, job::TrainMode::kBatch, job::TrainMode::kBoundedStaleness}) {
    Trainer trainer;
    trainer.join(kFirst, "");
    trainer.join(kSecond, "");
    SessionSpec spec = session_of(8);
    spec.cocoa = false;
    spec.mode.mode = mode;
    spec.mode.updates = 4;
    trainer.begin(spec, 0);
    (void)answer(trainer, trainer.take().commands);
    trainer.start(PassOrder{2}, 0);
    Outcome step = trainer.take();
    const auto is_asynchronous = [&] {
      return step.commands.at(0).message.step().has_asynchronous();
    };
    EXPECT_TRUE(is_asynchronous());
    while (step.events.empty()) step = answer(trainer, step.commands);

    for (const char* version : {"prune:0.5", "full"}) {
      trainer.start(SwitchOrder{version}, 0);
      ASSERT_THAT(answer(trainer, trainer.take().commands).events, SizeIs(1));
      trainer.start(PassOrder{2}, 0);
      step = trainer.take();
      const bool is_cut = version != std::string("full");
      EXPECT_EQ(is_asynchronous(), !is_cut);
      std::uint32_t samples = 0;
      for (const proto::WorkItem& item : step.commands[0].message.step().items()) {
        samples += item.count();
      }
      EXPECT_EQ(samples, is_cut ? 1 : 4);  // The steps of one update, or of a whole iteration.
      step = answer(trainer, step.commands);
      EXPECT_TRUE(is_asynchronous());
      while (step.events.empty()) step = answer(trainer, step.commands);
    }
  }
}

TEST(Trainer, AnImpossibleAnswerIsNotUsed) {
  Trainer trainer = begun(2, 4);
  trainer.start(PassOrder{2}, 0);
  const Outcome step = trainer.take();
  proto::FromWorker answer = answer_to(step.commands[0].message);
  answer.mutable_step_done()->set_compute_s(-1);
  trainer.receive(kFirst, answer, 0);
  const Outcome after = trainer.take();
  ASSERT_THAT(after.faulty, SizeIs(1));
  EXPECT_THAT(after.faulty[0].reason, HasSubstr("compute_s is -1"));
}

// The first worker cannot be reached. It cannot reach the others either, and reports one of them.
TEST(Trainer, AWorkerThatOthersCannotReachForLongIsGivenUp) {
  Trainer trainer = begun(3, 6);
  trainer.start(PassOrder{3}, 0);
  double now_s = 0;
  Outcome outcome = trainer.take();
  for (int tries = 0; tries < 100 && outcome.faulty.empty(); ++tries) {
    for (const Command& command : outcome.commands) {
      const WorkerId blamed = command.to == kFirst ? kSecond : kFirst;
      trainer.receive(command.to, failure_of(command, proto::FAULT_MACHINE, blamed), now_s);
    }
    now_s += 1;
    trainer.tick(now_s);
    outcome = trainer.take();
    ASSERT_THAT(outcome.events, IsEmpty());
  }
  ASSERT_THAT(outcome.faulty, SizeIs(1));
  EXPECT_EQ(outcome.faulty[0].worker, kFirst);
  EXPECT_THAT(outcome.faulty[0].reason, HasSubstr("other workers cannot reach it"));
}

TEST(Trainer, AnOrderAfterAForgottenPrepareIssuesItsGrantsAgain) {
  Trainer trainer = begun(2, 6);
  trainer.join(kThird, "");  // It is filled with chunks of the others.
  trainer.start(PassOrder{2}, 0);
  const Outcome prepare = trainer.take();
  ASSERT_THAT(receivers(prepare), ElementsAre(kFirst, kSecond, kThird));
  const auto chunks = [](const Outcome& outcome) {
    std::set<std::uint32_t> result;
    for (const Command& command : outcome.commands) {
      for (const proto::ChunkGrant& grant : command.message.prepare().grants())
        result.insert(grant.range().id());
    }
    return result;
  };
  ASSERT_THAT(chunks(prepare), SizeIs(2));

  trainer.forget_order();
  trainer.start(PassOrder{2}, 0);
  const Outcome again = trainer.take();
  ASSERT_THAT(receivers(again), ElementsAre(kFirst, kSecond, kThird));
  EXPECT_EQ(chunks(again), chunks(prepare));
  const Outcome second = answer(trainer, again.commands);
  ASSERT_THAT(receivers(second), ElementsAre(kFirst, kSecond, kThird));
  const Outcome step = answer(trainer, second.commands);
  ASSERT_THAT(receivers(step), ElementsAre(kFirst, kSecond, kThird));
  EXPECT_TRUE(step.commands[0].message.has_step());
}

// Recipients do not report that they lack a state, because the coordinator knows which senders are
// lost.
TEST(Trainer, ASenderThatIsLostHandsNothingOverAndTheSumIsComputedAgain) {
  Trainer trainer = begun(2, 6);
  trainer.join(kThird, "");  // It is filled with chunks of both.
  trainer.start(PassOrder{2}, 0);
  const auto senders = [](const Outcome& outcome) {
    std::set<std::uint32_t> result;
    for (const Command& command : outcome.commands) {
      for (const proto::ChunkGrant& grant : command.message.prepare().grants())
        result.insert(grant.has_from() ? grant.from() : 0);
    }
    return result;
  };
  ASSERT_THAT(senders(trainer.take()), UnorderedElementsAre(kFirst.value, kSecond.value));
  trainer.lose(kFirst);
  const Outcome again = trainer.take();
  ASSERT_THAT(receivers(again), ElementsAre(kSecond, kThird));
  EXPECT_THAT(senders(again), UnorderedElementsAre(0, kSecond.value));
  const Outcome orphans = answer(trainer, again.commands);  // The chunks that the lost one owned.
  EXPECT_THAT(senders(orphans), UnorderedElementsAre(0));
  const Outcome sum = answer(trainer, orphans.commands);
  ASSERT_THAT(receivers(sum), ElementsAre(kSecond, kThird));
  EXPECT_TRUE(sum.commands[0].message.step().resum());
}

TEST(Trainer, AWorkerThatTheOthersWaitForIsNamedAndItsAnswerStillCounts) {
  Trainer trainer = begun(2, 6);
  trainer.start(PassOrder{1}, 0);
  const Outcome step = trainer.take();
  ASSERT_THAT(receivers(step), ElementsAre(kFirst, kSecond));
  proto::FromWorker waiting;
  waiting.set_sequence(step.commands[0].message.sequence());
  waiting.mutable_waiting()->add_for_workers(kSecond.value);
  trainer.receive(kFirst, waiting, 2);
  ASSERT_TRUE(trainer.waits_for().has_value());
  EXPECT_EQ(trainer.waits_for()->what,
            "pass 1 is 0 % complete; the other workers wait for worker 2");
  EXPECT_THAT(trainer.take().events, IsEmpty());
  EXPECT_THAT(answer(trainer, step.commands).events, SizeIs(1));
}

TEST(Trainer, AWorkerThatHangsInAnIterationIsGivenUp) {
  Trainer trainer = begun(2, 6);
  trainer.start(PassOrder{1}, 0);
  proto::FromWorker waiting;
  waiting.set_sequence(trainer.take().commands[0].message.sequence());
  waiting.mutable_waiting()->add_for_workers(kSecond.value);
  Outcome outcome;
  for (double now_s = 2; now_s < 400 && outcome.faulty.empty(); ++now_s) {
    trainer.receive(kFirst, waiting, now_s);
    trainer.tick(now_s);
    outcome = trainer.take();
  }
  ASSERT_THAT(outcome.faulty, SizeIs(1));
  EXPECT_EQ(outcome.faulty[0].worker, kSecond);
  EXPECT_EQ(outcome.faulty[0].reason,
            "it hangs: it sends heartbeats, but has not computed the iteration within 300 s of the "
            "others");
  trainer.lose(kSecond);
  EXPECT_THAT(receivers(trainer.take()), ElementsAre(kFirst));
}

// A worker of another version, or a malicious one.
TEST(Trainer, AWorkerWhoseAnswerIsOfTheWrongKindIsGivenUp) {
  Trainer trainer = begun(2, 6);
  trainer.start(PassOrder{1}, 0);
  const Outcome step = trainer.take();
  proto::FromWorker wrong;
  wrong.set_sequence(step.commands[0].message.sequence());
  wrong.mutable_evaluated();
  trainer.receive(kFirst, wrong, 0);
  const Outcome outcome = trainer.take();
  EXPECT_THAT(outcome.events, IsEmpty());
  ASSERT_THAT(outcome.faulty, SizeIs(1));
  EXPECT_EQ(outcome.faulty[0].worker, kFirst);
  EXPECT_THAT(outcome.faulty[0].reason,
              HasSubstr("it is of the wrong kind: found evaluated, expected step_done"));
}

TEST(Trainer, AWorkerThatDepartedReceivesNoModel) {
  Trainer trainer = begun(2, 2);
  trainer.start(PassOrder{2}, 0);
  ASSERT_TRUE(trainer.take().commands[0].message.has_step());
  trainer.join(kThird, "");
  trainer.leave(kThird);
  ASSERT_THAT(trainer.departed(), ElementsAre(kThird));
  trainer.lose(kFirst);  // Before kThird was dismissed.
  const Outcome prepare = trainer.take();
  ASSERT_THAT(receivers(prepare), ElementsAre(kSecond));
  const proto::ModelSource& model = prepare.commands[0].message.prepare().model();
  EXPECT_TRUE(model.keep()) << model.ShortDebugString();
}

TEST(Trainer, TheModelIsLostIfOnlyWorkersThatDepartedHeldIt) {
  Trainer trainer = begun(2, 1);
  trainer.start(PassOrder{2}, 0);
  const Outcome step = trainer.take();
  ASSERT_THAT(receivers(step), ElementsAre(kFirst, kSecond));
  const bool first_works = !step.commands[0].message.step().items().empty();
  trainer.join(kThird, "");
  const WorkerId idle = first_works ? kSecond : kFirst;
  trainer.leave(idle);
  ASSERT_THAT(trainer.departed(), ElementsAre(idle));
  trainer.lose(first_works ? kFirst : kSecond);
  const Outcome outcome = trainer.take();
  EXPECT_THAT(outcome.commands, IsEmpty());
  ASSERT_THAT(outcome.events, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<ModelLost>(outcome.events[0]));
}

}  // namespace trainer_test
}  // namespace surety::orchestrator
