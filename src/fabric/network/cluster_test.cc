#include "fabric/network/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/fabric/network/ports.h"

namespace surety::fabric {
namespace cluster_test {

using ::testing::ElementsAre;

constexpr double kRate = 100;

// Workers 0 to 4.
class Workers {
 public:
  explicit Workers(double nominal = kRate)
      : cluster({.classes = 3}, equal_ports(5, {nominal, nominal})) {}
  void see(const std::vector<double>& rates, PortSide side = PortSide::kIn) {
    now_s_ += 0.1;
    for (std::uint32_t h = 0; h < rates.size(); ++h)
      cluster.observe(now(), WorkerId{h}, side, rates[h]);
    cluster.refresh(now());
  }
  Cluster cluster;

 private:
  [[nodiscard]] Time now() const { return Time(from_seconds(now_s_)); }
  double now_s_ = 0;
};

TEST(Cluster, AggregatorsAreThoseWhosePortsAreQuickBothWays) {
  Workers workers;
  EXPECT_THAT(workers.cluster.aggregators(),
              ElementsAre(WorkerId{0}, WorkerId{1}, WorkerId{2}, WorkerId{3}, WorkerId{4}));
  workers.see({100, 10, 100, 100, 100});
  EXPECT_THAT(workers.cluster.aggregators(),
              ElementsAre(WorkerId{0}, WorkerId{2}, WorkerId{3}, WorkerId{4}));
  workers.see({100, 100, 10, 100, 100}, PortSide::kOut);
  EXPECT_THAT(workers.cluster.aggregators(), ElementsAre(WorkerId{0}, WorkerId{3}, WorkerId{4}));
}

TEST(Cluster, QuickIsRelativeToWhatTheOthersHave) {
  Workers workers(10 * kRate);
  for (int i = 0; i < 3; ++i) {
    workers.see({100, 100, 40, 100, 100});
    workers.see({100, 100, 100, 100, 100}, PortSide::kOut);
  }
  EXPECT_TRUE(workers.cluster.has_fast_port(WorkerId{0}));
  EXPECT_FALSE(workers.cluster.has_fast_port(WorkerId{2}));
}

TEST(Cluster, APortNearHalfOfTheOthersStaysWhatItIs) {
  Workers workers;
  workers.see({100, 100, 47, 100, 100});
  EXPECT_TRUE(workers.cluster.has_fast_port(WorkerId{2}));
  workers.see({100, 100, 20, 100, 100});
  EXPECT_FALSE(workers.cluster.has_fast_port(WorkerId{2}));
  for (int i = 0; i < 20; ++i) workers.see({100, 100, 53, 100, 100});
  EXPECT_FALSE(workers.cluster.has_fast_port(WorkerId{2}));
  for (int i = 0; i < 20; ++i) workers.see({100, 100, 90, 100, 100});
  EXPECT_TRUE(workers.cluster.has_fast_port(WorkerId{2}));
}

}  // namespace cluster_test
}  // namespace surety::fabric
