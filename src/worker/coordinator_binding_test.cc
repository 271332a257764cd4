#include "worker/coordinator_binding.h"

#include <gmock/gmock.h>

#include "proto/surety.pb.h"

namespace surety::worker {
namespace coordinator_binding_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const Error kLost{ErrorCode::kUnavailable, "the coordinator ended the connection"};

Time at(Duration since) { return Time{} + since; }

proto::Welcome welcome_of(std::uint32_t worker, std::uint32_t term) {
  proto::Welcome welcome;
  welcome.set_run("run 1");
  welcome.set_worker(worker);
  welcome.set_term(term);
  welcome.add_sources()->set_samples(100);
  return welcome;
}

CoordinatorBinding bound(CoordinatorBindingOptions options = {}) {
  CoordinatorBinding binding(options);
  EXPECT_EQ(binding.welcome(welcome_of(3, 2)), Welcomed::kNew);
  return binding;
}

// The pauses until the worker ends, if every call fails at once.
std::vector<Duration> pauses(CoordinatorBinding& binding, Duration lost_at) {
  EXPECT_TRUE(binding.lose(at(lost_at), kLost));
  std::vector<Duration> pauses;
  Duration now = lost_at;
  while (const auto pause = binding.next_pause(at(now))) {
    pauses.push_back(*pause);
    now += *pause;
    EXPECT_TRUE(binding.lose(at(now), kLost));
  }
  return pauses;
}

TEST(CoordinatorBinding, ALostCoordinatorIsCalledEverLessOftenAtLeastOnceASecond) {
  CoordinatorBinding binding = bound({.wait = seconds(4)});
  EXPECT_THAT(pauses(binding, seconds(100)),
              ::testing::ElementsAre(milliseconds(50), milliseconds(100), milliseconds(200),
                                     milliseconds(400), milliseconds(800), seconds(1), seconds(1),
                                     seconds(1)));
}

TEST(CoordinatorBinding, WhereAStandbyMayComeItIsCalledFiveTimesASecond) {
  CoordinatorBinding binding({.wait = seconds(1)});
  proto::Welcome welcome = welcome_of(3, 2);
  welcome.set_folder("/runs/1");
  EXPECT_EQ(binding.welcome(welcome), Welcomed::kNew);
  EXPECT_THAT(pauses(binding, seconds(0)),
              ::testing::ElementsAre(milliseconds(50), milliseconds(100), milliseconds(200),
                                     milliseconds(200), milliseconds(200), milliseconds(200),
                                     milliseconds(200)));
}

TEST(CoordinatorBinding, WhoWasBoundWaitsForItsWaitAndAStrangerForItsPatience) {
  CoordinatorBinding known = bound({.patience = seconds(1), .wait = seconds(5)});
  EXPECT_EQ(known.limit(), Duration(seconds(5)));
  CoordinatorBinding stranger({.patience = seconds(1), .wait = seconds(5)});
  EXPECT_EQ(stranger.limit(), Duration(seconds(1)));
  ASSERT_TRUE(stranger.lose(at(seconds(0)), kLost));
  EXPECT_TRUE(stranger.next_pause(at(seconds(1))));
  EXPECT_FALSE(stranger.next_pause(at(milliseconds(1001))));
}

TEST(CoordinatorBinding, ItWaitsFromTheFirstLossNotFromTheLastCall) {
  CoordinatorBinding binding = bound({.wait = seconds(5)});
  ASSERT_TRUE(binding.lose(at(seconds(10)), kLost));
  ASSERT_TRUE(binding.lose(at(seconds(14)), kLost));
  const auto pause = binding.next_pause(at(seconds(16)));
  ASSERT_FALSE(pause);
  EXPECT_THAT(pause.error().message, HasSubstr("no coordinator has answered within 5s"));
}

TEST(CoordinatorBinding, AfterAWelcomeThePausesAreShortAgain) {
  CoordinatorBinding binding = bound({.wait = seconds(1)});
  const auto first = pauses(binding, seconds(0));
  EXPECT_EQ(binding.welcome(welcome_of(7, 3)), Welcomed::kAgain);
  EXPECT_FALSE(binding.is_lost());
  EXPECT_EQ(pauses(binding, seconds(50)), first);
}

TEST(CoordinatorBinding, WithoutAWaitTheCoordinatorsEndIsTheWorkers) {
  CoordinatorBinding binding = bound({.wait = std::nullopt});
  const auto lost = binding.lose(at(seconds(0)), kLost);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message, kLost.message);
}

TEST(CoordinatorBinding, WithoutPatienceAStrangerCallsOnce) {
  CoordinatorBinding binding({.patience = std::nullopt});
  EXPECT_FALSE(binding.lose(at(seconds(0)), kLost));
}

TEST(CoordinatorBinding, WhoIsNotWantedDoesNotCallAgain) {
  CoordinatorBinding binding({});
  EXPECT_FALSE(
      binding.lose(at(seconds(0)), {ErrorCode::kInvalidInput, "the token is not this job's"}));
}

TEST(CoordinatorBinding, AnOlderCoordinatorOfTheRunIsRefusedAndANewOneOfAnotherRunIsNot) {
  CoordinatorBinding binding = bound();
  ASSERT_TRUE(binding.lose(at(seconds(0)), kLost));
  EXPECT_EQ(binding.welcome(welcome_of(4, 1)), Welcomed::kRefused);
  EXPECT_TRUE(binding.is_lost());
  EXPECT_EQ(binding.last_welcome()->worker(), 3u);
  proto::Welcome other = welcome_of(4, 1);
  other.set_run("run 2");
  EXPECT_EQ(binding.welcome(other), Welcomed::kNew);
}

TEST(CoordinatorBinding, SamplesOfOtherDataAreOfNoUse) {
  CoordinatorBinding binding = bound();
  EXPECT_EQ(binding.welcome(welcome_of(4, 2)), Welcomed::kAgain);
  proto::Welcome other = welcome_of(5, 2);
  other.mutable_sources(0)->set_samples(5);
  EXPECT_EQ(binding.welcome(other), Welcomed::kNew);
}

TEST(CoordinatorBinding, AHelloSaysWhoCalls) {
  CoordinatorBinding binding({});
  proto::Hello hello;
  binding.introduce(hello);
  EXPECT_EQ(hello.worker(), 0u);
  EXPECT_FALSE(binding.last_welcome());
  EXPECT_EQ(binding.welcome(welcome_of(3, 2)), Welcomed::kNew);
  binding.introduce(hello);
  EXPECT_EQ(hello.run(), "run 1");
  EXPECT_EQ(hello.worker(), 3u);
  EXPECT_EQ(hello.term(), 2u);
}

}  // namespace coordinator_binding_test
}  // namespace surety::worker
