// Plans the transfer of one block between a group of members and the owners of the model: in at
// most two hops, over workers with spare bandwidth.
//
// Push: the block is cut into slices. Slice j, a fraction s_j of the block, is summed at aggregator
// j, and only the sum is sent on to the owners. A fraction s_0 is sent to the owners directly. An
// aggregator is any worker with spare bandwidth; it may be a member. Pull is the same with all
// directions reversed: the owners send slice j once to relay j, which sends it to all others.
//
// With K members, t seconds for a byte of the block, and ports U (out) and D (in), a push needs
//   1 <= t U_i                           member i sends all of its block
//   (K - [j is a member]) s_j <= t D_j   aggregator j receives from all members but itself
//   s_j <= t U_j                         and sends its sum (for a member: see the first line)
//   w_h (1 + (K - 1) s_0) <= t D_h       owner h receives its part w_h of the block
// The aggregators' capacity is R = sum_j c_j with c_j = min(D_j / (K - [j]), U_j). If t_min R >= 1,
// the least t is t_min = max(1/U_i, w_h/D_h). Otherwise it is t = K / (D + (K - 1) R) with
// D = min_h D_h / w_h, and s_0 is the rest. In a homogeneous cluster t = 1/B for any K.
//
// Both this and a transfer without aggregators are tried by their exact loads, and the faster one
// is kept.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fabric/network/port.h"
#include "fabric/network/types.h"

namespace surety::fabric {

struct Share {
  WorkerId worker;
  double fraction = 0;
};

struct GroupTransfer {
  Direction direction = Direction::kPush;
  std::span<const WorkerId> members;  // Ascending, not empty.
  // Workers that may sum or relay; ascending; may be empty.
  std::span<const WorkerId> aggregators;
  // Parts of the block: fractions above 0 with the sum 1.
  std::span<const Share> owners;
  // Maximum fraction of one aggregator, because of its memory; the rest is sent directly.
  double fraction_max = 1;
};

// `direct` is s_0, and the shares are s_j of the aggregators or relays. They sum to 1.
struct SharePlan {
  double direct = 1;
  std::vector<Share> shares{};
  // Planned seconds for a byte of the block: the maximum of exact load over capacity.
  double s_per_byte = 0;
};

// The load of a round on one side of a port.
struct Load {
  WorkerId worker;
  PortSide side = PortSide::kOut;
  double per_byte = 0;  // Bytes on the port for each byte of the block.
};

// Plans shares. It keeps arrays between calls, so that planning allocates only what it returns.
class SharePlanner {
 public:
  // Returns the fastest plan, or nullopt if the network cannot carry the transfer because a member
  // or an owner has no capacity. `ports`: the ports of workers, by id, with the rates that are
  // free. ENSURES: at rate 1 / s_per_byte no port is loaded above its capacity; with owners that
  // are not aggregators, no two-hop plan is faster. Of two equal plans, the one without aggregators
  // is returned. O(members + aggregators log aggregators + owners).
  [[nodiscard]] std::optional<SharePlan> plan(std::span<const Port> ports,
                                              const GroupTransfer& transfer);

  // Returns the loads of the plan, each side of a port once: first all that send, then all that
  // receive, by worker. Same cost.
  [[nodiscard]] std::vector<Load> loads(std::span<const Port> ports, const GroupTransfer& transfer,
                                        const SharePlan& plan);

 private:
  struct Work;  // One call's view of its arguments and of the arrays below.

  // Values by the id of the worker; all 0 between calls.
  using PerWorker = std::vector<double>;

  // Loads of a plan, for each byte, as for a push.
  PerWorker sent_;
  PerWorker received_;
  PerWorker shares_;
  PerWorker owned_;
  PerWorker members_;  // 1 for a member.
};

}  // namespace surety::fabric
