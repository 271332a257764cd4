#include "fabric/scheduler/block_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace block_owners_test {

using ::testing::ElementsAre;

constexpr double kRate = 100;

std::vector<WorkerId> workers_of(const std::vector<Share>& shares) {
  std::vector<WorkerId> workers;
  for (const Share& share : shares) workers.push_back(share.worker);
  return workers;
}

// Workers 0 and 1 own the two blocks; worker 2 owns nothing.
class TwoOwners : public ::testing::Test {
 protected:
  TwoOwners() : cluster({}, equal_ports(3, {kRate, kRate})) {}
  static SchedulerOptions options() {
    SchedulerOptions options{.blocks = 2};
    options.owners = {{WorkerId{0}, 0.25}, {WorkerId{1}, 0.75}};
    options.placement_interval_min = std::chrono::seconds(5);
    return options;
  }
  static Time at(double seconds) { return Time(from_seconds(seconds)); }
  // The ports of worker 0 have this rate.
  void set_rate(double seconds, double rate) {
    for (int i = 0; i < 5; ++i) {
      const Time now = at(seconds - 0.5 + 0.1 * i);
      for (std::uint32_t h = 0; h < 3; ++h) {
        cluster.observe(now, WorkerId{h}, PortSide::kIn, h == 0 ? rate : kRate);
      }
      cluster.refresh(now);
    }
  }
  Cluster cluster;
};

TEST_F(TwoOwners, AWorkerWithASlowPortOwnsNothingUntilItIsFastAgain) {
  BlockOwners owners(options());
  EXPECT_FALSE(owners.follow_ports(at(1), cluster));
  EXPECT_EQ(owners.shares()[1].fraction, 0.75);
  set_rate(2, kRate / 10);
  const auto place = owners.follow_ports(at(2), cluster);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->placement, 2u);
  EXPECT_EQ(owners.placement(), 2u);
  EXPECT_THAT(workers_of(place->owners), ElementsAre(WorkerId{1}));
  EXPECT_THAT(workers_of(owners.shares()), ElementsAre(WorkerId{1}));
  EXPECT_EQ(owners.shares()[0].fraction, 1);
  EXPECT_FALSE(owners.follow_ports(at(20), cluster));  // These workers are already the owners.

  set_rate(21, kRate);
  ASSERT_TRUE(owners.follow_ports(at(21), cluster));
  EXPECT_THAT(workers_of(owners.shares()), ElementsAre(WorkerId{0}, WorkerId{1}));
  EXPECT_EQ(owners.shares()[0].fraction, 0.5);
}

TEST_F(TwoOwners, ChangesAreSomeTimeApart) {
  BlockOwners owners(options());
  set_rate(2, kRate / 10);
  ASSERT_TRUE(owners.follow_ports(at(2), cluster));
  set_rate(6.9, kRate);
  EXPECT_FALSE(owners.follow_ports(at(6.9), cluster));
  EXPECT_TRUE(owners.follow_ports(at(7), cluster));
}

TEST_F(TwoOwners, OwnersStayWhereTheyAreIfNoOwnerIsFast) {
  BlockOwners owners(options());
  WorkerPorts workers = equal_ports(5, {kRate, kRate});
  for (const WorkerId owner : {WorkerId{0}, WorkerId{1}}) workers[owner] = {kRate / 10, kRate / 10};
  Cluster with_slow_owners({}, workers);
  with_slow_owners.refresh(at(2));
  EXPECT_FALSE(owners.follow_ports(at(2), with_slow_owners));
  EXPECT_EQ(owners.placement(), 1u);
}

TEST_F(TwoOwners, ABlockMovesToAPlacementOnce) {
  BlockOwners owners(options());
  EXPECT_EQ(owners.move(0), std::nullopt);
  set_rate(2, kRate / 10);
  ASSERT_TRUE(owners.follow_ports(at(2), cluster));
  EXPECT_EQ(owners.move(0), 1u);
  EXPECT_EQ(owners.move(0), std::nullopt);
  set_rate(21, kRate);
  ASSERT_TRUE(owners.follow_ports(at(21), cluster));
  EXPECT_EQ(owners.move(0), 2u);
  EXPECT_EQ(owners.move(1), 1u);  // The block has skipped a placement.
}

}  // namespace block_owners_test
}  // namespace surety::fabric
