#include "lasting_faults.h"

#include <gtest/gtest.h>

namespace surety::bench {
namespace lasting_faults_test {

Time at(double time_s) { return Time{from_seconds(time_s)}; }

LastingFault cut(std::uint32_t host, double until_s) {
  return {.until = at(until_s), .kind = FaultKind::kCutWorker, .host = host};
}

using Hosts = std::vector<std::uint32_t>;

// The hosts whose links are restored at this time.
Hosts restored(LastingFaults& faults, double time_s) {
  Hosts hosts;
  for (const LastingFault& fault : faults.take_over_by(at(time_s))) hosts.push_back(fault.host);
  return hosts;
}

TEST(LastingFaults, AFaultIsUndoneOnceAtItsTime) {
  LastingFaults faults;
  faults.add(cut(1, 10));
  EXPECT_EQ(restored(faults, 9), Hosts{});
  EXPECT_EQ(restored(faults, 10), Hosts{1});
  EXPECT_EQ(restored(faults, 11), Hosts{});
}

TEST(LastingFaults, AHostThatIsCutTwiceIsRestoredWhenBothCutsAreOver) {
  LastingFaults faults;
  faults.add(cut(1, 10));
  faults.add(cut(1, 20));
  faults.add(cut(2, 10));  // Another host is not affected.
  EXPECT_EQ(restored(faults, 10), Hosts{2});
  EXPECT_EQ(restored(faults, 20), Hosts{1});
}

TEST(LastingFaults, AShorterSecondCutDoesNotEndTheFirst) {
  LastingFaults faults;
  faults.add(cut(1, 20));
  faults.add(cut(1, 10));
  EXPECT_EQ(restored(faults, 10), Hosts{});
  EXPECT_EQ(restored(faults, 20), Hosts{1});
}

TEST(LastingFaults, CutsThatEndTogetherAreUndoneOnce) {
  LastingFaults faults;
  faults.add(cut(1, 10));
  faults.add(cut(1, 11));
  EXPECT_EQ(restored(faults, 12), Hosts{1});
}

TEST(LastingFaults, AFaultOfAnotherKindOrOfAnotherWorkerIsNotTheSame) {
  LastingFaults faults;
  faults.add({.until = at(10), .kind = FaultKind::kFillDisk});
  faults.add({.until = at(20), .kind = FaultKind::kStopCoordinator});
  faults.add({.until = at(10), .kind = FaultKind::kStopWorker, .pid = 1});
  faults.add({.until = at(20), .kind = FaultKind::kStopWorker, .pid = 2});
  EXPECT_EQ(faults.take_over_by(at(10)).size(), 2u);
}

TEST(LastingFaults, AllAreUndoneOnceHoweverLongTheyWouldLast) {
  LastingFaults faults;
  faults.add({.until = at(10), .kind = FaultKind::kFillDisk});
  faults.add({.until = at(20), .kind = FaultKind::kFillDisk});
  EXPECT_TRUE(faults.lasts(FaultKind::kFillDisk));
  EXPECT_EQ(faults.take_all().size(), 1u);
  EXPECT_FALSE(faults.lasts(FaultKind::kFillDisk));
}

}  // namespace lasting_faults_test
}  // namespace surety::bench
