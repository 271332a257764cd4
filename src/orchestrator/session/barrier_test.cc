#include "orchestrator/session/barrier.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace barrier_test {

using ::testing::ElementsAre;
using ::testing::Key;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};

Barrier of_two(BarrierKind kind = BarrierKind::kSave) {
  return Barrier(kind, 7, {kFirst, kSecond}, 3);
}

proto::FromWorker answer(std::uint64_t sequence = 7) {
  proto::FromWorker message;
  message.set_sequence(sequence);
  return message;
}

TEST(Barrier, ItIsCompleteOnceEachWorkerHasAnswered) {
  Barrier barrier = of_two();
  barrier.take(kSecond, answer());
  EXPECT_FALSE(barrier.is_complete());
  EXPECT_TRUE(barrier.awaits(kFirst));
  EXPECT_FALSE(barrier.awaits(kSecond));
  barrier.take(kFirst, answer());
  EXPECT_TRUE(barrier.is_complete());
  EXPECT_THAT(barrier.answers(), ElementsAre(Key(kFirst), Key(kSecond)));
}

TEST(Barrier, AnAnswerCountsOnceAndOnlyForItsOwnCommand) {
  Barrier barrier = of_two();
  EXPECT_FALSE(barrier.expects(kFirst, answer(6)));
  EXPECT_FALSE(barrier.expects(WorkerId{3}, answer()));
  EXPECT_TRUE(barrier.expects(kFirst, answer()));
  barrier.take(kFirst, answer());
  EXPECT_FALSE(barrier.expects(kFirst, answer()));
  EXPECT_DEATH(barrier.take(kFirst, answer()), "expects");
}

TEST(Barrier, EverythingIsSentAgainHalfASecondAfterTheLastBrokenLink) {
  Barrier barrier = of_two();
  EXPECT_FALSE(barrier.is_retry_due(1e9));
  EXPECT_TRUE(barrier.retry_later(10));
  EXPECT_FALSE(barrier.retry_later(10.25));  // Not the first report.
  EXPECT_FALSE(barrier.is_retry_due(10.7));
  EXPECT_TRUE(barrier.is_retry_due(10.75));
}

TEST(Barrier, ItSaysHowManyHaveAnsweredAndSinceWhenItWaits) {
  Barrier barrier = of_two();
  barrier.take(kFirst, answer());
  EXPECT_EQ(barrier.progress().what, "1 of 2 workers have written the checkpoint");
  EXPECT_EQ(barrier.progress().since_s, 3);
  EXPECT_EQ(Barrier(BarrierKind::kPrepare, 1, {kFirst}, 0).progress().what,
            "0 of 1 worker has received its samples and the model");
}

proto::WaitingFor waits_for(std::initializer_list<std::uint32_t> workers) {
  proto::WaitingFor waiting;
  for (const std::uint32_t worker : workers) waiting.add_for_workers(worker);
  return waiting;
}

TEST(Barrier, TheSlowestIsTheOneThatOthersWaitForAndThatWaitsForNobody) {
  const WorkerId third{3};
  Barrier barrier(BarrierKind::kStep, 7, {kFirst, kSecond, third}, 3);
  EXPECT_THAT(barrier.slowest(), ElementsAre());
  barrier.note_waiting(kFirst, waits_for({2, 3}));
  EXPECT_THAT(barrier.slowest(), ElementsAre(kSecond, third));
  barrier.note_waiting(kSecond, waits_for({3}));
  EXPECT_THAT(barrier.slowest(), ElementsAre(third));
  barrier.take(third, answer());
  EXPECT_THAT(barrier.slowest(), ElementsAre());
}

// A worker may send any report.
TEST(Barrier, NoWorkerWaitsForItselfOrForAnUnknownWorker) {
  Barrier barrier = of_two();
  barrier.note_waiting(kFirst, waits_for({1, 99}));
  EXPECT_THAT(barrier.slowest(), ElementsAre());
}

// Calls hung() once a second until this time, and returns the last result.
std::vector<WorkerId> hung_after(Barrier& barrier, double from_s, double until_s) {
  std::vector<WorkerId> hung;
  for (double now_s = from_s; now_s <= until_s; ++now_s) hung = barrier.hung(now_s);
  return hung;
}

TEST(Barrier, AWorkerHangsIfItTakesFiveMinutesMoreThanTheOthers) {
  Barrier barrier = of_two(BarrierKind::kEvaluate);
  EXPECT_THAT(hung_after(barrier, 3, 5), ElementsAre());
  barrier.take(kFirst, answer());
  EXPECT_THAT(hung_after(barrier, 6, 304), ElementsAre());
  EXPECT_THAT(hung_after(barrier, 305, 306), ElementsAre(kSecond));
}

// The same, while this worker reports every second that it waits for another one.
std::vector<WorkerId> hung_while(Barrier& barrier, double from_s, double until_s, WorkerId waits,
                                 std::uint32_t other) {
  std::vector<WorkerId> hung;
  for (double now_s = from_s; now_s <= until_s; ++now_s) {
    barrier.note_waiting(waits, waits_for({other}));
    hung = barrier.hung(now_s);
  }
  return hung;
}

TEST(Barrier, AWorkerHangsOnlyIfItTakesTwentyTimesAsLongAsTheOthers) {
  Barrier barrier = of_two(BarrierKind::kStep);
  (void)hung_after(barrier, 3, 103);
  EXPECT_THAT(hung_while(barrier, 104, 2101, kSecond, 1), ElementsAre());
  EXPECT_THAT(hung_while(barrier, 2102, 2104, kSecond, 1), ElementsAre(kFirst));
}

TEST(Barrier, WhoWaitedOnceMayHangLater) {
  Barrier barrier = of_two(BarrierKind::kStep);
  barrier.note_waiting(kFirst, waits_for({2}));
  EXPECT_THAT(hung_after(barrier, 4, 14), ElementsAre());
  EXPECT_THAT(hung_while(barrier, 15, 320, kSecond, 1), ElementsAre(kFirst));
  EXPECT_THAT(barrier.slowest(), ElementsAre(kFirst));
}

TEST(Barrier, WhoReportsNoMoreIsNotSaidToWait) {
  Barrier barrier = of_two(BarrierKind::kStep);
  barrier.note_waiting(kFirst, waits_for({2}));
  EXPECT_THAT(barrier.slowest(), ElementsAre(kSecond));
  (void)hung_after(barrier, 4, 14);
  EXPECT_THAT(barrier.slowest(), ElementsAre());
}

TEST(Barrier, WhileMostWorkersAreAtWorkNobodyHangs) {
  Barrier barrier(BarrierKind::kStep, 7, {kFirst, kSecond, WorkerId{3}}, 0);
  EXPECT_THAT(hung_after(barrier, 1, 1000), ElementsAre());
  barrier.take(kFirst, answer());
  EXPECT_THAT(hung_after(barrier, 1001, 1e5), ElementsAre());
}

TEST(Barrier, WhoLoadsOrWritesMuchMoreThanOthersDoesNotHang) {
  for (const BarrierKind kind : {BarrierKind::kPrepare, BarrierKind::kSave, BarrierKind::kSwitch}) {
    Barrier barrier = of_two(kind);
    barrier.take(kFirst, answer());
    EXPECT_THAT(hung_after(barrier, 4, 1802), ElementsAre());
    EXPECT_THAT(hung_after(barrier, 1803, 1804), ElementsAre(kSecond));
  }
}

TEST(Barrier, WithAPatienceWhoeverIsLateHangsWhateverTheCommand) {
  Barrier barrier = of_two(BarrierKind::kPrepare);
  barrier.take(kFirst, answer());
  EXPECT_THAT(barrier.hung(4, 5), ElementsAre());
  EXPECT_THAT(barrier.hung(7.9, 5), ElementsAre());
  EXPECT_THAT(barrier.hung(8, 5), ElementsAre(kSecond));
}

// The answers of the meantime are read only afterwards.
TEST(Barrier, ACoordinatorThatWasStoppedHasNotWaited) {
  Barrier barrier = of_two(BarrierKind::kEvaluate);
  barrier.take(kFirst, answer());
  EXPECT_THAT(barrier.hung(1e6), ElementsAre());
}

TEST(Barrier, SomebodyIsAsked) { EXPECT_DEATH(Barrier(BarrierKind::kSave, 1, {}, 0), "asked"); }

}  // namespace barrier_test
}  // namespace surety::orchestrator
