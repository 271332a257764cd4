#include "fabric/network/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "test/support/fabric/network/flows.h"

namespace surety::fabric {
namespace shares_test {

using ::testing::IsEmpty;

std::vector<WorkerId> workers(std::uint32_t first, std::uint32_t count) {
  std::vector<WorkerId> made;
  for (std::uint32_t i = 0; i < count; ++i) made.push_back(WorkerId{first + i});
  return made;
}

struct Case {
  std::vector<Port> ports{};
  std::vector<WorkerId> members{};
  std::vector<WorkerId> aggregators{};
  std::vector<Share> owners{};
  Direction direction = Direction::kPush;

  [[nodiscard]] GroupTransfer transfer() const { return {direction, members, aggregators, owners}; }
  [[nodiscard]] std::optional<SharePlan> plan() const {
    return SharePlanner().plan(ports, transfer());
  }
};

// Members from 0 on, then one dedicated owner; all ports have the same rates.
Case alike(std::uint32_t members, double bytes_per_s) {
  Case made;
  made.ports.assign(members + 1, Port{bytes_per_s, bytes_per_s});
  made.members = workers(0, members);
  made.aggregators = made.members;
  made.owners = {{WorkerId{members}, 1}};
  return made;
}

TEST(Shares, ManyMembersCostNoMoreThanOne) {
  // At 10 bytes/s a byte takes 0.1 s, whether one worker sends it or thirty workers do.
  for (const std::uint32_t members : {1u, 2u, 8u, 30u}) {
    EXPECT_NEAR(alike(members, 10).plan()->s_per_byte, 0.1, 1e-9) << members;
  }
}

TEST(Shares, WithoutAggregatorsTheOwnerHearsEveryMember) {
  Case lonely = alike(8, 10);
  lonely.aggregators.clear();
  EXPECT_NEAR(lonely.plan()->s_per_byte, 0.8, 1e-9);
  EXPECT_THAT(lonely.plan()->shares, IsEmpty());
}

TEST(Shares, SlowAggregatorGetsLessOfTheBlock) {
  Case slow = alike(8, 10);
  slow.ports[3].in_bytes_per_s = 1;
  const auto plan = slow.plan();
  EXPECT_NEAR(plan->s_per_byte, 0.1, 1e-9);
  EXPECT_NEAR(plan->shares[3].fraction, plan->shares[4].fraction / 10, 1e-9);
}

TEST(Shares, OwnerHearsDirectlyWhatAggregatorsCannotTake) {
  // Two members and one spare worker that receives 1 byte/s: R = 1/2, D = 10: t = 2 / (10 + 1/2).
  Case tight = alike(2, 10);
  tight.ports.push_back(Port{1, 1});
  tight.aggregators = {WorkerId{3}};
  EXPECT_NEAR(tight.plan()->s_per_byte, 2 / 10.5, 1e-9);
  EXPECT_NEAR(tight.plan()->direct, 1 - 0.5 * 2 / 10.5, 1e-9);
}

TEST(Shares, AggregatorWithLittleMemoryTakesLittle) {
  // Eight members could each sum an eighth. With at most 0.1 for each, a fifth is sent directly: 1
  // + 7 / 5.
  const Case small = alike(8, 10);
  GroupTransfer transfer = small.transfer();
  transfer.fraction_max = 0.1;
  const auto plan = SharePlanner().plan(small.ports, transfer);
  EXPECT_NEAR(plan->direct, 0.2, 1e-9);
  EXPECT_NEAR(plan->s_per_byte, 0.24, 1e-9);
}

TEST(Shares, NothingWhereAMemberCannotSend) {
  Case cut = alike(3, 10);
  cut.ports[1].out_bytes_per_s = 0;
  EXPECT_FALSE(cut.plan());
}

Case random_case(Random& random, bool owners_apart) {
  Case made;
  const auto count = static_cast<std::uint32_t>(2 + random.below(12));
  const auto rate = [&] { return 10 * std::pow(10, -random.uniform()); };
  for (std::uint32_t i = 0; i < count; ++i) {
    made.ports.push_back({rate(), rate()});
    if (i == 0 || random.uniform() < 0.6) made.members.push_back(WorkerId{i});
    if (random.uniform() < 0.7) made.aggregators.push_back(WorkerId{i});
  }
  const auto owners = static_cast<std::uint32_t>(1 + random.below(3));
  for (std::uint32_t o = 0; o < owners; ++o) {
    if (owners_apart) made.ports.push_back({rate(), rate()});
    const auto worker = static_cast<std::uint32_t>(owners_apart ? count + o : o);
    if (worker < made.ports.size()) made.owners.push_back({WorkerId{worker}, 0});
  }
  for (Share& owner : made.owners) {
    owner.fraction = 1 / static_cast<double>(made.owners.size());
  }
  made.direction = random.below(2) == 0 ? Direction::kPush : Direction::kPull;
  return made;
}

using PortEnd = std::pair<WorkerId, PortSide>;

std::map<PortEnd, double> loads_of(const std::vector<Flow>& flows) {
  std::map<PortEnd, double> loads;
  for (const Flow& flow : flows) {
    loads[{flow.from, PortSide::kOut}] += flow.fraction;
    loads[{flow.to, PortSide::kIn}] += flow.fraction;
  }
  return loads;
}

double capacity_of(const Case& made, const PortEnd& end) {
  return rate_of(made.ports[end.first.value], end.second);
}

TEST(Shares, NeverLoadAnythingAboveItsCapacity) {
  Random random(2);
  SharePlanner planner;
  int direct = 0;
  for (int i = 0; i < 4000; ++i) {
    const Case made = random_case(random, i % 3 == 0);
    const auto plan = planner.plan(made.ports, made.transfer());
    ASSERT_TRUE(plan);
    direct += plan->shares.empty() ? 1 : 0;
    const auto loads = loads_of(flows_of(made.transfer(), *plan));
    std::map<PortEnd, double> claimed;
    for (const Load& load : planner.loads(made.ports, made.transfer(), *plan)) {
      claimed[{load.worker, load.side}] = load.per_byte;
    }
    for (const auto& [end, load] : loads) {
      ASSERT_LE(load, plan->s_per_byte * capacity_of(made, end) * (1 + 1e-9)) << i;
      ASSERT_NEAR(claimed[end], load, 1e-9) << i;
    }
    for (const auto& [end, load] : claimed) {
      ASSERT_TRUE(loads.contains(end) || load < 1e-9) << i;
    }
  }
  EXPECT_GT(direct, 10);
  EXPECT_LT(direct, 3990);
}

// Each fraction of each member's block reaches the owners once.
TEST(Shares, OfASliceSumToTheBlock) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Case made = random_case(random, i % 3 == 0);
    const auto plan = made.plan();
    double sum = plan->direct;
    for (const Share& share : plan->shares) {
      ASSERT_GT(share.fraction, 0);
      sum += share.fraction;
    }
    ASSERT_NEAR(sum, 1, 1e-9);
  }
}

// A lower bound for any plan: each member sends its block, each owner receives its part, and K
// blocks must be received by some worker.
double cut_bound(const Case& made) {
  const bool push = made.direction == Direction::kPush;
  const auto sends = [&](WorkerId h) {
    return push ? made.ports[h.value].out_bytes_per_s : made.ports[h.value].in_bytes_per_s;
  };
  const auto in_rate = [&](WorkerId h) {
    return push ? made.ports[h.value].in_bytes_per_s : made.ports[h.value].out_bytes_per_s;
  };
  double bound = 0;
  double all = 0;
  for (const WorkerId member : made.members) bound = std::max(bound, 1 / sends(member));
  for (const Share& owner : made.owners) {
    bound = std::max(bound, owner.fraction / in_rate(owner.worker));
    all += in_rate(owner.worker);
  }
  for (const WorkerId worker : made.aggregators) all += in_rate(worker);
  return std::max(bound, static_cast<double>(made.members.size()) / all);
}

TEST(Shares, AreNearTheCutBoundWhereWorkersAreMany) {
  Random random(4);
  for (int i = 0; i < 4000; ++i) {
    // Members and idle workers may all sum. The bound ignores that an idle worker, after summing K
    // slices, must still send its sum to the owner: up to 1 / K more.
    const auto members = static_cast<std::uint32_t>(8 + random.below(32));
    Case made = alike(members + static_cast<std::uint32_t>(random.below(20)), 10);
    made.members.resize(members);
    for (Port& port : made.ports) {
      port = {10 * std::pow(10, -random.uniform()), 10 * std::pow(10, -random.uniform())};
    }
    made.direction = i % 2 == 0 ? Direction::kPush : Direction::kPull;
    const double ratio = made.plan()->s_per_byte / cut_bound(made);
    ASSERT_GE(ratio, 1 - 1e-9);
    ASSERT_LE(ratio, 1.17) << "instance " << i << " of " << members << " members";
  }
}

TEST(Shares, NoGridOfSharesIsFaster) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    Case made = random_case(random, true);
    made.aggregators.resize(std::min<std::size_t>(made.aggregators.size(), 2));
    made.owners = {{made.owners[0].worker, 1}};
    const auto plan = made.plan();
    constexpr int kGrid = 24;
    for (int a = 0; a <= kGrid; ++a) {
      for (int b = 0; a + b <= kGrid; ++b) {
        SharePlan other;
        const double fractions[] = {a / double{kGrid}, b / double{kGrid}};
        for (std::size_t j = 0; j < made.aggregators.size(); ++j) {
          if (fractions[j] == 0) continue;
          other.shares.push_back({made.aggregators[j], fractions[j]});
          other.direct -= fractions[j];
        }
        double time = 0;
        for (const auto& [end, load] : loads_of(flows_of(made.transfer(), other))) {
          time = std::max(time, load / capacity_of(made, end));
        }
        ASSERT_GE(time, plan->s_per_byte * (1 - 1e-9)) << "instance " << i;
      }
    }
  }
}

}  // namespace shares_test
}  // namespace surety::fabric
