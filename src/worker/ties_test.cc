#include "worker/ties.h"

#include <gmock/gmock.h>

#include "proto/surety.pb.h"

namespace surety::worker {
namespace ties_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const Error kLost{ErrorCode::kUnavailable, "the coordinator ended the connection"};

Time at(Duration since) { return Time{} + since; }

proto::Welcome welcome_of(std::uint32_t worker, std::uint32_t epoch) {
  proto::Welcome welcome;
  welcome.set_run("run 1");
  welcome.set_worker(worker);
  welcome.set_epoch(epoch);
  welcome.add_sources()->set_samples(100);
  return welcome;
}

Ties bound(TiesOptions options = {}) {
  Ties ties(options);
  EXPECT_EQ(ties.welcome(welcome_of(3, 2)), Welcomed::kNew);
  return ties;
}

// The pauses until it ends, if every call fails at once.
std::vector<Duration> pauses(Ties& ties, Duration lost_at) {
  EXPECT_TRUE(ties.lose(at(lost_at), kLost));
  std::vector<Duration> pauses;
  Duration now = lost_at;
  while (const auto pause = ties.next_pause(at(now))) {
    pauses.push_back(*pause);
    now += *pause;
    EXPECT_TRUE(ties.lose(at(now), kLost));
  }
  return pauses;
}

TEST(Ties, ALostCoordinatorIsCalledEverLessOftenAtLeastOnceASecond) {
  Ties ties = bound({.wait = seconds(4)});
  EXPECT_THAT(pauses(ties, seconds(100)),
              ::testing::ElementsAre(milliseconds(50), milliseconds(100), milliseconds(200),
                                     milliseconds(400), milliseconds(800), seconds(1), seconds(1),
                                     seconds(1)));
}

TEST(Ties, WhereAStandbyMayComeItIsCalledFiveTimesASecond) {
  Ties ties({.wait = seconds(1)});
  proto::Welcome welcome = welcome_of(3, 2);
  welcome.set_folder("/runs/1");
  EXPECT_EQ(ties.welcome(welcome), Welcomed::kNew);
  EXPECT_THAT(pauses(ties, seconds(0)),
              ::testing::ElementsAre(milliseconds(50), milliseconds(100), milliseconds(200),
                                     milliseconds(200), milliseconds(200), milliseconds(200),
                                     milliseconds(200)));
}

TEST(Ties, WhoWasBoundWaitsForItsWaitAndAStrangerForItsPatience) {
  Ties known = bound({.patience = seconds(1), .wait = seconds(5)});
  EXPECT_EQ(known.limit(), Duration(seconds(5)));
  Ties stranger({.patience = seconds(1), .wait = seconds(5)});
  EXPECT_EQ(stranger.limit(), Duration(seconds(1)));
  ASSERT_TRUE(stranger.lose(at(seconds(0)), kLost));
  EXPECT_TRUE(stranger.next_pause(at(seconds(1))));
  EXPECT_FALSE(stranger.next_pause(at(milliseconds(1001))));
}

TEST(Ties, ItWaitsFromTheFirstLossNotFromTheLastCall) {
  Ties ties = bound({.wait = seconds(5)});
  ASSERT_TRUE(ties.lose(at(seconds(10)), kLost));
  ASSERT_TRUE(ties.lose(at(seconds(14)), kLost));
  const auto pause = ties.next_pause(at(seconds(16)));
  ASSERT_FALSE(pause);
  EXPECT_THAT(pause.error().message, HasSubstr("no coordinator has called back within 5s"));
}

TEST(Ties, AfterAWelcomeThePausesAreShortAgain) {
  Ties ties = bound({.wait = seconds(1)});
  const auto first = pauses(ties, seconds(0));
  EXPECT_EQ(ties.welcome(welcome_of(7, 3)), Welcomed::kAgain);
  EXPECT_FALSE(ties.is_lost());
  EXPECT_EQ(pauses(ties, seconds(50)), first);
}

TEST(Ties, WithoutAWaitTheCoordinatorsEndIsTheWorkers) {
  Ties ties = bound({.wait = seconds(0)});
  const auto lost = ties.lose(at(seconds(0)), kLost);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message, kLost.message);
}

TEST(Ties, WhoIsNotWantedDoesNotCallAgain) {
  Ties ties({});
  EXPECT_FALSE(
      ties.lose(at(seconds(0)), {ErrorCode::kInvalidInput, "the token is not this job's"}));
}

TEST(Ties, WhoWantsToLeaveDoesNotWait) {
  Ties leaves_first = bound();
  leaves_first.leave();
  EXPECT_FALSE(leaves_first.lose(at(seconds(0)), kLost));
  Ties loses_first = bound();
  ASSERT_TRUE(loses_first.lose(at(seconds(0)), kLost));
  loses_first.leave();
  EXPECT_FALSE(loses_first.next_pause(at(seconds(0))));
}

TEST(Ties, AnOlderCoordinatorOfTheRunIsRefusedAndANewOneOfAnotherRunIsNot) {
  Ties ties = bound();
  ASSERT_TRUE(ties.lose(at(seconds(0)), kLost));
  EXPECT_EQ(ties.welcome(welcome_of(4, 1)), Welcomed::kRefused);
  EXPECT_TRUE(ties.is_lost());
  EXPECT_EQ(ties.name(), 3u);
  proto::Welcome other = welcome_of(4, 1);
  other.set_run("run 2");
  EXPECT_EQ(ties.welcome(other), Welcomed::kNew);
}

TEST(Ties, SamplesOfOtherDataAreOfNoUse) {
  Ties ties = bound();
  EXPECT_EQ(ties.welcome(welcome_of(4, 2)), Welcomed::kAgain);
  proto::Welcome other = welcome_of(5, 2);
  other.mutable_sources(0)->set_samples(5);
  EXPECT_EQ(ties.welcome(other), Welcomed::kNew);
}

TEST(Ties, AHelloSaysWhoCalls) {
  Ties ties({});
  proto::Hello hello;
  ties.introduce(hello);
  EXPECT_EQ(hello.worker(), 0u);
  EXPECT_EQ(ties.welcome(welcome_of(3, 2)), Welcomed::kNew);
  ties.introduce(hello);
  EXPECT_EQ(hello.run(), "run 1");
  EXPECT_EQ(hello.worker(), 3u);
  EXPECT_EQ(hello.epoch(), 2u);
}

}  // namespace ties_test
}  // namespace surety::worker
