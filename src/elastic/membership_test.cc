#include "elastic/membership.h"

#include <gmock/gmock.h>

#include "base/random.h"

namespace surety::elastic {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr LivenessOptions kOptions{.silence_min = seconds(4), .silence_factor = 8};

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
  membership.gone(WorkerId{2});
  EXPECT_EQ(membership.join(at(seconds(1))), WorkerId{3});
  EXPECT_THAT(membership.present(), ElementsAre(WorkerId{1}, WorkerId{3}));
}

TEST(Membership, ALeaverIsPresentUntilItIsGone) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  EXPECT_FALSE(membership.is_leaving(worker));
  membership.leaving(worker);
  EXPECT_TRUE(membership.is_leaving(worker));
  EXPECT_TRUE(membership.is_present(worker));
  membership.gone(worker);
  EXPECT_FALSE(membership.is_leaving(worker));
  EXPECT_FALSE(membership.is_present(worker));
}

TEST(Membership, SilenceSinceTheJoinIsSilence) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(10)));
  EXPECT_EQ(membership.deadline(), at(seconds(14)));
  EXPECT_THAT(membership.tick(at(milliseconds(13'999))), IsEmpty());
  const auto departures = membership.tick(at(seconds(14)));
  EXPECT_THAT(ids(departures), ElementsAre(worker));
  EXPECT_EQ(departures[0].reason, "silent for 4s (bound 4s)");
  EXPECT_FALSE(membership.is_present(worker));
}

TEST(Membership, AMessageStartsTheSilenceAnew) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.heard(worker, at(milliseconds(400)));
  EXPECT_THAT(membership.tick(at(seconds(4))), IsEmpty());
  EXPECT_EQ(membership.deadline(), at(milliseconds(4'400)));
}

TEST(Membership, AWorkerWithLongGapsIsGivenMoreTime) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.heard(worker, at(seconds(2)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(16));  // 8 * 2 s.
  EXPECT_THAT(membership.tick(at(milliseconds(17'999))), IsEmpty());
  EXPECT_THAT(ids(membership.tick(at(seconds(18)))), ElementsAre(worker));
}

TEST(Membership, ALongGapIsForgottenAfterSixteenMore) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.heard(worker, at(seconds(2)));
  for (int i = 1; i <= 15; ++i) membership.heard(worker, at(seconds(2) + milliseconds(100 * i)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(16));
  membership.heard(worker, at(milliseconds(3'600)));
  EXPECT_EQ(membership.silence_bound(worker), seconds(4));
}

TEST(Membership, OneWorkersGapsAreNoExcuseForAnother) {
  Membership membership(kOptions);
  const WorkerId slow = membership.join(at(seconds(0)));
  const WorkerId quick = membership.join(at(seconds(0)));
  membership.heard(slow, at(seconds(3)));
  membership.heard(quick, at(seconds(3)) - milliseconds(2'900));
  EXPECT_EQ(membership.deadline(), at(milliseconds(4'100)));
  EXPECT_THAT(ids(membership.tick(at(milliseconds(4'100)))), ElementsAre(quick));
  EXPECT_EQ(membership.deadline(), at(seconds(27)));
}

TEST(Membership, WhoIsGoneCannotComeBackByAMessage) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  EXPECT_THAT(ids(membership.tick(at(seconds(5)))), ElementsAre(worker));
  membership.heard(worker, at(seconds(5)));
  membership.heard(WorkerId{77}, at(seconds(5)));
  membership.leaving(worker);
  membership.gone(worker);
  EXPECT_THAT(membership.present(), IsEmpty());
  EXPECT_EQ(membership.deadline(), std::nullopt);
}

TEST(Membership, AMessageFromBeforeTheLastOneChangesNothing) {
  Membership membership(kOptions);
  const WorkerId worker = membership.join(at(seconds(0)));
  membership.heard(worker, at(seconds(3)));
  membership.heard(worker, at(seconds(1)));
  EXPECT_EQ(membership.deadline(), at(seconds(3 + 24)));
}

// Four workers beat at random gaps below silence_min; the first stops for good at a random time.
// The caller ticks exactly at deadline(), as an event loop does.
TEST(Membership, TheStoppedOneIsFoundByItsBoundAndNobodyElseIsSuspected) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Membership membership(kOptions);
    std::map<WorkerId, Time> next_beat;
    for (int i = 0; i < 4; ++i) next_beat[membership.join(at(seconds(0)))] = at(milliseconds(1));
    const WorkerId victim{1};
    const Time stops = at(milliseconds(random.below(30'000)));
    std::vector<Duration> gaps;  // Of the victim.
    Time last_heard = at(seconds(0));
    std::optional<Time> found;
    while (!found) {
      auto beat = next_beat.begin();
      for (auto it = beat; it != next_beat.end(); ++it) {
        if (it->second < beat->second) beat = it;
      }
      const Time deadline = membership.deadline().value();
      if (deadline <= beat->second) {
        ASSERT_THAT(ids(membership.tick(deadline)), ElementsAre(victim)) << "seed " << seed;
        found = deadline;
        break;
      }
      const auto [worker, now] = *beat;
      if (worker == victim && now >= stops) {
        next_beat.erase(worker);
        continue;
      }
      ASSERT_THAT(membership.tick(now), IsEmpty()) << "seed " << seed;
      membership.heard(worker, now);
      if (worker == victim) {
        gaps.push_back(now - last_heard);
        last_heard = now;
      }
      next_beat[worker] = now + milliseconds(1 + random.below(3'998));
    }
    Duration bound = kOptions.silence_min;
    for (std::size_t i = gaps.size() - std::min<std::size_t>(gaps.size(), 16); i < gaps.size();
         ++i) {
      bound = std::max(bound, 8 * gaps[i]);
    }
    EXPECT_LE(abs(*found - last_heard - bound), std::chrono::microseconds(1)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace surety::elastic
