#include "orchestrator/workforce/places.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace surety::orchestrator {
namespace places_test {

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr WorkerId kW3{3};
constexpr const char* kLocal = "local";

// Workers 1 and 2 have the two places.
Places two_taken() {
  Places places;
  places.on_requested({kLocal, 2}, 0);
  EXPECT_TRUE(places.take(kW1, kLocal, std::nullopt));
  EXPECT_TRUE(places.take(kW2, kLocal, std::nullopt));
  return places;
}

void crash(Places& places, WorkerId worker, double now_s) {
  places.on_process_ended(worker);
  places.on_lost(worker, now_s);
}

// A process is requested for the vacant place, and joins.
void replace(Places& places, WorkerId worker, double now_s) {
  ASSERT_EQ(places.due(kLocal, now_s), 1u);
  places.on_requested({kLocal, 1}, now_s);
  ASSERT_TRUE(places.take(worker, kLocal, std::nullopt));
}

TEST(Places, AWorkerThatCrashedIsReplacedAtOnce) {
  Places places = two_taken();
  crash(places, kW1, 10);
  EXPECT_EQ(places.due(kLocal, 10), 1u);
  replace(places, kW3, 10);
  EXPECT_EQ(places.vacant(), 0u);
}

TEST(Places, TheEndOfTheProcessMayBeKnownAfterTheLoss) {
  Places places = two_taken();
  places.on_lost(kW1, 10);
  EXPECT_EQ(places.due(kLocal, 10), 0u);
  places.on_process_ended(kW1);
  EXPECT_EQ(places.due(kLocal, 10), 1u);
}

TEST(Places, AWorkerWhoseProcessDidNotEndMayCallAgainFirst) {
  Places places = two_taken();
  places.on_lost(kW1, 10);
  EXPECT_EQ(places.paused(kLocal, 12.9), 1u);
  EXPECT_FALSE(places.has_due(12.9));
  EXPECT_EQ(places.due(kLocal, 13), 1u);
  EXPECT_TRUE(places.has_due(13));
  EXPECT_TRUE(places.take(kW3, kLocal, kW1));
  EXPECT_EQ(places.vacant(), 0u);
}

TEST(Places, WhoLeftOnPurposeIsNotReplaced) {
  Places places = two_taken();
  places.on_left(kW1);
  EXPECT_EQ(places.vacant(), 0u);
  places.on_lost(kW1, 10);  // Its connection breaks before it has handed over its chunks.
  EXPECT_EQ(places.vacant(), 0u);
}

TEST(Places, WhoCallsAgainAfterItsSuccessorJoinedIsOneTooMany) {
  Places places = two_taken();
  places.on_lost(kW1, 10);
  replace(places, kW3, 13);
  EXPECT_FALSE(places.take(WorkerId{4}, kLocal, kW1));
}

TEST(Places, WhoCallsAgainBeforeItsSuccessorJoinsHasThePlace) {
  Places places = two_taken();
  places.on_lost(kW1, 10);
  places.on_requested({kLocal, 1}, 13);
  EXPECT_TRUE(places.take(kW3, kLocal, kW1));
  EXPECT_FALSE(places.take(WorkerId{4}, kLocal, std::nullopt));
}

TEST(Places, WhoConnectsAgainBeforeItsLossIsNoticedKeepsItsPlace) {
  Places places = two_taken();
  EXPECT_TRUE(places.take(kW3, kLocal, kW1));
  places.on_lost(kW1, 10);  // No worker has this id any more.
  EXPECT_EQ(places.vacant(), 0u);
}

TEST(Places, AProcessThatEndsBeforeItJoinsIsReplaced) {
  Places places;
  places.on_requested({kLocal, 1}, 0);
  places.on_never_joined(kLocal, 5);
  EXPECT_EQ(places.due(kLocal, 5), 1u);
  places.on_never_joined(kLocal, 5);  // No other was requested.
  EXPECT_EQ(places.vacant(), 1u);
}

TEST(Places, OfProcessesThatEndAtOnceEachIsReplacedAtOnce) {
  Places places;
  places.on_requested({kLocal, 3}, 0);
  for (int process = 0; process < 3; ++process) {
    places.on_never_joined(kLocal, 5);
    EXPECT_EQ(places.due(kLocal, 5), 1u) << process;
    places.on_requested({kLocal, 1}, 5);
  }
}

TEST(Places, TheFirstRestartComesAtOnceAndOthersAfterGrowingPauses) {
  Places places = two_taken();
  std::uint32_t worker = 3;
  crash(places, kW1, 10);
  for (const double pause_s : {0., 1., 2., 4., 8., 16., 16.}) {
    EXPECT_EQ(places.due(kLocal, 10 + pause_s - 0.01), 0u) << pause_s;
    replace(places, WorkerId{worker}, 10 + pause_s);
    places.on_pass();
    crash(places, WorkerId{worker}, 10);
    ++worker;
  }
}

TEST(Places, AfterThreeRestartsWithoutAPassAPlaceIsGivenUp) {
  Places places = two_taken();
  std::uint32_t worker = 3;
  crash(places, kW1, 10);
  for (double now_s = 11; now_s < 22; now_s += 5) {
    EXPECT_TRUE(places.take_given_up().empty());
    replace(places, WorkerId{worker}, now_s);
    crash(places, WorkerId{worker}, now_s);
    ++worker;
  }
  EXPECT_EQ(places.vacant(), 0u);
  EXPECT_EQ(places.take_given_up(), std::vector<std::string>{kLocal});
  EXPECT_TRUE(places.take_given_up().empty());
  crash(places, kW2, 30);  // The other place has had no restart.
  EXPECT_EQ(places.due(kLocal, 30), 1u);
}

TEST(Places, AfterAFinishedPassRestartsAreCountedAnew) {
  Places places = two_taken();
  std::uint32_t worker = 3;
  crash(places, kW1, 10);
  for (double now_s = 30; now_s < 300; now_s += 20) {
    replace(places, WorkerId{worker}, now_s);
    places.on_pass();
    crash(places, WorkerId{worker}, now_s);
    ++worker;
  }
  EXPECT_TRUE(places.take_given_up().empty());
}

TEST(Places, APassWithoutTheWorkerShowsNothing) {
  Places places = two_taken();
  std::uint32_t worker = 3;
  crash(places, kW1, 10);
  for (double now_s = 20; now_s < 50; now_s += 10) {
    places.on_pass();
    replace(places, WorkerId{worker}, now_s);
    crash(places, WorkerId{worker}, now_s);
    ++worker;
  }
  EXPECT_EQ(places.take_given_up().size(), 1u);
}

TEST(Places, RestartsAreForgottenAfterAMinute) {
  Places places = two_taken();
  std::uint32_t worker = 3;
  crash(places, kW1, 10);
  for (double now_s = 10; now_s < 1000; now_s += 60) {
    replace(places, WorkerId{worker}, now_s);  // Without a pause, although it is not the first.
    crash(places, WorkerId{worker}, now_s + 60);
    ++worker;
  }
  EXPECT_TRUE(places.take_given_up().empty());
}

TEST(Places, AConnectionThatBreaksAgainAndAgainIsNoRestart) {
  Places places = two_taken();
  WorkerId name = kW1;
  for (std::uint32_t next = 3; next < 20; ++next) {
    places.on_lost(name, 10);
    ASSERT_TRUE(places.take(WorkerId{next}, kLocal, name));
    name = WorkerId{next};
  }
  EXPECT_TRUE(places.take_given_up().empty());
}

TEST(Places, ProcessesThatCannotBeStartedHaveNoPlace) {
  Places places = two_taken();
  crash(places, kW1, 10);
  crash(places, kW2, 10);
  places.on_requested({kLocal, 1}, 10);
  places.on_not_started({kLocal, 1});
  EXPECT_EQ(places.vacant(), 0u);
  EXPECT_FALSE(places.take(kW3, kLocal, std::nullopt));
}

TEST(Places, VacantOnesAreClosedWhereFewerAreWanted) {
  Places places = two_taken();
  places.on_requested({"spot", 1}, 0);
  places.on_never_joined("spot", 5);
  crash(places, kW1, 5);
  crash(places, kW2, 5);
  places.close_vacant(kLocal, 1);
  EXPECT_EQ(places.due(kLocal, 5), 1u);
  EXPECT_EQ(places.due("spot", 5), 1u);
  places.close_vacant(std::nullopt, 0);
  EXPECT_EQ(places.vacant(), 0u);
}

TEST(Places, APlaceThatWaitsForItsPauseIsNotFilledByARequestForAnotherOne) {
  Places places = two_taken();
  places.on_lost(kW1, 10);
  places.on_requested({kLocal, 1}, 10);
  EXPECT_EQ(places.paused(kLocal, 10), 1u);
  EXPECT_TRUE(places.take(kW3, kLocal, std::nullopt));
  EXPECT_EQ(places.vacant(), 1u);
}

// Random crashes, silences, returns and requests: there are never more workers than places, and
// each place gets a worker again.
TEST(Places, AsManyWorkersAsPlacesWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Places places;
    constexpr std::uint32_t kPlaces = 3;
    std::set<WorkerId> there;
    std::set<WorkerId> silent;  // Lost, but their processes run.
    std::uint32_t last = 0;
    std::uint32_t requested = kPlaces;
    double now_s = 0;
    const auto take = [&](std::optional<WorkerId> before) {
      const WorkerId worker{++last};
      if (places.take(worker, kLocal, before)) there.insert(worker);
    };
    places.on_requested({kLocal, kPlaces}, now_s);
    for (int event = 0; event < 60; ++event) {
      now_s += 5 * random.uniform();
      const auto kind = random.below(5);
      if (kind == 0 && requested > 0) {
        --requested;
        take(std::nullopt);
      } else if (kind == 1 && !there.empty()) {
        crash(places, *there.begin(), now_s);
        there.erase(there.begin());
      } else if (kind == 2 && !there.empty()) {
        places.on_lost(*there.rbegin(), now_s);
        silent.insert(*there.rbegin());
        there.erase(*there.rbegin());
      } else if (kind == 3 && !silent.empty()) {
        take(*silent.begin());
        silent.erase(silent.begin());
      } else {
        const std::uint32_t due = places.due(kLocal, now_s);
        places.on_requested({kLocal, due}, now_s);
        requested += due;
      }
      places.on_pass();
      ASSERT_LE(there.size() + places.vacant(), kPlaces) << seed;
    }
    for (int turn = 0; turn < 2; ++turn) {
      now_s += Places::kPauseMaxS;
      const std::uint32_t due = places.due(kLocal, now_s);
      places.on_requested({kLocal, due}, now_s);
      for (requested += due; requested > 0; --requested) take(std::nullopt);
    }
    ASSERT_EQ(there.size(), kPlaces) << seed;
  }
}

}  // namespace places_test
}  // namespace surety::orchestrator
