#include "test/support/fabric/network/flows.h"

#include <utility>

namespace surety::fabric {
namespace {

class Flows {
 public:
  Flows(const GroupTransfer& transfer, std::uint8_t hops)
      : push_(transfer.direction == Direction::kPush), hops_(hops) {}

  // Arguments are as for a push. The flows of a pull are reversed, the last hop first.
  void add(HostId from, HostId to, double fraction, std::uint8_t hop) {
    if (from == to || fraction <= 0) return;
    if (push_) {
      flows_.push_back({from, to, fraction, hop});
    } else {
      flows_.push_back({to, from, fraction, static_cast<std::uint8_t>(hops_ - 1 - hop)});
    }
  }

  std::vector<Flow> take() { return std::move(flows_); }

 private:
  bool push_;
  std::uint8_t hops_;
  std::vector<Flow> flows_;
};

std::uint8_t hops_of(PlanShape shape) {
  switch (shape) {
    case PlanShape::kDirect:
      return 1;
    case PlanShape::kFlat:
    case PlanShape::kRack:
      return 2;
    case PlanShape::kRackTwice:
      return 3;
  }
  return 0;
}

}  // namespace

std::vector<Flow> flows_of(const Network& network, const GroupTransfer& transfer,
                           const SharePlan& plan) {
  const std::uint8_t hops = hops_of(plan.shape);
  const auto last = static_cast<std::uint8_t>(hops - 1);
  const bool racks = plan.shape == PlanShape::kRack || plan.shape == PlanShape::kRackTwice;
  Flows flows(transfer, hops);
  const auto same_rack = [&](HostId a, HostId b) {
    return network.ports[a.value].rack == network.ports[b.value].rack;
  };
  const auto to_owners = [&](HostId from, double fraction) {
    for (const Share& owner : transfer.owners) {
      flows.add(from, owner.host, fraction * owner.fraction, last);
    }
  };
  for (const HostId member : transfer.members) {
    for (const Share& share : plan.first) {
      if (!racks || same_rack(member, share.host)) {
        flows.add(member, share.host, share.fraction, 0);
      }
    }
    if (!racks) to_owners(member, plan.direct);
  }
  for (const Share& share : plan.first) {
    if (plan.shape != PlanShape::kRackTwice) to_owners(share.host, share.fraction);
    for (const Share& next : plan.second) {
      flows.add(share.host, next.host, share.fraction * next.fraction, 1);
    }
  }
  for (const Share& share : plan.second) to_owners(share.host, share.fraction);
  return flows.take();
}

}  // namespace surety::fabric
