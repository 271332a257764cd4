#include "fabric/network/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace cluster_test {

using ::testing::ElementsAre;

constexpr double kRate = 100;

// Hosts 0 to 4.
class Hosts {
 public:
  explicit Hosts(double nominal = kRate)
      : cluster({.classes = 3}, equal_ports(5, {nominal, nominal})) {}
  void see(const std::vector<double>& rates, PortSide side = PortSide::kIn) {
    now_s_ += 0.1;
    for (std::uint32_t h = 0; h < rates.size(); ++h)
      cluster.observe(now(), HostId{h}, side, rates[h]);
    cluster.refresh(now());
  }
  Cluster cluster;

 private:
  [[nodiscard]] Time now() const { return Time(from_seconds(now_s_)); }
  double now_s_ = 0;
};

TEST(Cluster, AggregatorsAreThoseWhosePortsAreQuickBothWays) {
  Hosts hosts;
  EXPECT_THAT(hosts.cluster.aggregators(),
              ElementsAre(HostId{0}, HostId{1}, HostId{2}, HostId{3}, HostId{4}));
  hosts.see({100, 10, 100, 100, 100});
  EXPECT_THAT(hosts.cluster.aggregators(), ElementsAre(HostId{0}, HostId{2}, HostId{3}, HostId{4}));
  hosts.see({100, 100, 10, 100, 100}, PortSide::kOut);
  EXPECT_THAT(hosts.cluster.aggregators(), ElementsAre(HostId{0}, HostId{3}, HostId{4}));
}

TEST(Cluster, QuickIsRelativeToWhatTheOthersHave) {
  Hosts hosts(10 * kRate);
  for (int i = 0; i < 3; ++i) {
    hosts.see({100, 100, 40, 100, 100});
    hosts.see({100, 100, 100, 100, 100}, PortSide::kOut);
  }
  EXPECT_TRUE(hosts.cluster.has_fast_port(HostId{0}));
  EXPECT_FALSE(hosts.cluster.has_fast_port(HostId{2}));
}

TEST(Cluster, APortNearHalfOfTheOthersStaysWhatItIs) {
  Hosts hosts;
  hosts.see({100, 100, 47, 100, 100});
  EXPECT_TRUE(hosts.cluster.has_fast_port(HostId{2}));
  hosts.see({100, 100, 20, 100, 100});
  EXPECT_FALSE(hosts.cluster.has_fast_port(HostId{2}));
  for (int i = 0; i < 20; ++i) hosts.see({100, 100, 53, 100, 100});
  EXPECT_FALSE(hosts.cluster.has_fast_port(HostId{2}));
  for (int i = 0; i < 20; ++i) hosts.see({100, 100, 90, 100, 100});
  EXPECT_TRUE(hosts.cluster.has_fast_port(HostId{2}));
}

}  // namespace cluster_test
}  // namespace surety::fabric
