#include "elastic/ownership/membership.h"

#include <gmock/gmock.h>

#include "base/random.h"

namespace surety::elastic {
namespace membership_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A long tick_period, so that rare calls do not look like a coordinator that was suspended.
constexpr LivenessOptions kOptions{.silence_min = seconds(4),
                                   .silence_factor = 8,
                                   .memory = seconds(15),
                                   .silence_unknown = seconds(4),
                                   .tick_period = seconds(1000)};

Time at(Duration since_start) { return Time(since_start); }

std::vector<WorkerId> ids(const std::vector<Departure>& departures) {
  std::vector<WorkerId> workers;
  for (const Departure& departure : departures) workers.push_back(departure.worker);
  return workers;
}

TEST(Membership, IdsAreNeverReused) {
  Membership membership(kOptions);
  EXPECT_EQ(membership.join(at(seconds(0))), WorkerId{1});
  EXPECT_EQ(membership.join(at(seconds(0))), WorkerId{2});
  membership.on_gone(WorkerId{2});
  EXPECT_EQ(membership.join(at(seconds(1))), WorkerId{3});
  EXPECT_THAT(membership.present(), ElementsAre(WorkerId{1}, WorkerId{3}));
}

TEST(Membership, SilenceSinceTheJoinIsSilence) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(10)));
  EXPECT_EQ(membership.deadline(), at(seconds(14)));
  EXPECT_THAT(membership.tick(at(milliseconds(13'999))), IsEmpty());
  const auto departures = membership.tick(at(seconds(14)));
  EXPECT_THAT(ids(departures), ElementsAre(worker));
  EXPECT_EQ(departures[0].reason, "it has sent nothing for 4s, and at most 4s is allowed");
  EXPECT_FALSE(membership.is_present(worker));
}

TEST(Membership, AMessageStartsTheSilenceAnew) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.on_message(worker, at(milliseconds(400)));
  EXPECT_THAT(membership.tick(at(seconds(4))), IsEmpty());
  EXPECT_EQ(membership.deadline(), at(milliseconds(4'400)));
}

TEST(Membership, AWorkerWithLongGapsIsGivenMoreTime) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.on_message(worker, at(seconds(2)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(16));  // The bound is 8 * 2 s.
  EXPECT_THAT(membership.tick(at(milliseconds(17'999))), IsEmpty());
  EXPECT_THAT(ids(membership.tick(at(seconds(18)))), ElementsAre(worker));
}

TEST(Membership, ALongGapIsRememberedForOnePeriodAndForgottenAfterTwo) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.on_message(worker, at(seconds(2)));
  for (int i = 3; i < 30; ++i) membership.on_message(worker, at(seconds(i)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(16));
  // Its first period ended at 15 s; this is the third one.
  membership.on_message(worker, at(seconds(30)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(8));
}

TEST(Membership, AWorkerThatIsHardlyKnownIsGivenMoreTime) {
  LivenessOptions options = kOptions;
  options.silence_min = seconds(1);
  Membership membership(options);
  const WorkerId worker = membership.join(at(seconds(0)));
  for (int i = 1; i < 40; ++i) membership.on_message(worker, at(milliseconds(100 * i)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(4));
  membership.on_message(worker, at(seconds(4)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(1));
}

TEST(Membership, AfterASuspensionTheCoordinatorSuspectsNoWorker) {
  LivenessOptions options = kOptions;
  options.tick_period = milliseconds(250);
  for (const bool message_first : {false, true}) {
    Membership membership(options);
    const WorkerId alive = membership.join(at(seconds(0)));
    const WorkerId dead = membership.join(at(seconds(0)));
    EXPECT_THAT(membership.tick(at(milliseconds(700))), IsEmpty());
    // The coordinator is suspended for 60 s, of which 0.25 s count: the silence is 0.95 s.
    if (message_first) membership.on_message(alive, at(milliseconds(60'700)));
    EXPECT_THAT(membership.tick(at(milliseconds(60'700))), IsEmpty());
    membership.on_message(alive, at(milliseconds(60'700)));
    EXPECT_EQ(membership.silence_bound(alive), milliseconds(7'600));  // The bound is 8 * 0.95 s.
    for (int i = 1; i <= 12; ++i) {
      const Time now = at(milliseconds(60'700 + 250 * i));
      membership.on_message(alive, now);
      EXPECT_THAT(membership.tick(now), IsEmpty());
    }
    EXPECT_THAT(ids(membership.tick(at(milliseconds(63'750)))), ElementsAre(dead));
  }
}

TEST(Membership, ACoordinatorThatIsAlwaysLateStillFindsDeadWorkers) {
  LivenessOptions options = kOptions;
  options.tick_period = milliseconds(250);
  Membership membership(options);
  const WorkerId dead = membership.join(at(seconds(0)));
  int ticks = 0;
  for (Time now = at(seconds(1)); membership.is_present(dead); now += seconds(1)) {
    std::ignore = membership.tick(now);
    ++ticks;
  }
  EXPECT_EQ(ticks, 16);  // Each tick counts for 0.25 s.
}

TEST(Membership, TheGapsOfOneWorkerDoNotCountForAnother) {
  Membership membership(kOptions);
  const WorkerId slow = membership.join(at(seconds(0)));
  const WorkerId quick = membership.join(at(seconds(0)));
  membership.on_message(slow, at(seconds(3)));
  membership.on_message(quick, at(seconds(3)) - milliseconds(2'900));
  EXPECT_EQ(membership.deadline(), at(milliseconds(4'100)));
  EXPECT_THAT(ids(membership.tick(at(milliseconds(4'100)))), ElementsAre(quick));
  EXPECT_EQ(membership.deadline(), at(seconds(27)));
}

TEST(Membership, AMessageDoesNotRestoreAWorkerThatIsGone) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  EXPECT_THAT(ids(membership.tick(at(seconds(5)))), ElementsAre(worker));
  membership.on_message(worker, at(seconds(5)));
  membership.on_message(WorkerId{77}, at(seconds(5)));
  membership.on_gone(worker);
  EXPECT_THAT(membership.present(), IsEmpty());
  EXPECT_EQ(membership.deadline(), std::nullopt);
}

TEST(Membership, AMessageFromBeforeTheLastOneChangesNothing) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.on_message(worker, at(seconds(3)));
  membership.on_message(worker, at(seconds(1)));
  EXPECT_EQ(membership.deadline(), at(seconds(3 + 24)));
}

// Four workers send heartbeats at random gaps below silence_min; the first stops for good at a
// random time. The caller ticks exactly at deadline(), as an event loop does.
TEST(Membership, TheStoppedWorkerIsFoundWithinItsBoundAndNoOtherIsSuspected) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Membership membership(kOptions);
    std::map<WorkerId, Time> next_beat;
    for (int i = 0; i < 4; ++i) next_beat[membership.join(at(seconds(0)))] = at(milliseconds(1));
    const WorkerId silent{1};
    const Time stops = at(milliseconds(random.below(30'000)));
    Duration last_bound = kOptions.silence_min;
    Time last_message_at = at(seconds(0));
    std::optional<Time> found;
    while (!found) {
      auto beat = next_beat.begin();
      for (auto it = beat; it != next_beat.end(); ++it) {
        if (it->second < beat->second) beat = it;
      }
      const Time deadline = membership.deadline().value();
      if (deadline <= beat->second) {
        ASSERT_THAT(ids(membership.tick(deadline)), ElementsAre(silent)) << "seed " << seed;
        found = deadline;
        break;
      }
      const auto [worker, now] = *beat;
      if (worker == silent && now >= stops) {
        next_beat.erase(worker);
        continue;
      }
      ASSERT_THAT(membership.tick(now), IsEmpty()) << "seed " << seed;
      membership.on_message(worker, now);
      if (worker == silent) {
        last_bound = membership.silence_bound(silent);
        EXPECT_GE(last_bound + std::chrono::microseconds(1), 8 * (now - last_message_at));
        last_message_at = now;
      }
      next_beat[worker] = now + milliseconds(1 + random.below(3'998));
    }
    const Duration bound = last_bound;
    EXPECT_LE(abs(*found - last_message_at - bound), std::chrono::microseconds(1))
        << "seed " << seed;
  }
}

}  // namespace membership_test
}  // namespace surety::elastic
