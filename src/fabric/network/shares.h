// Plans the transfer of one block between a group of members and the owners of the model: in at
// most two hops over hosts with spare bandwidth, or in three hops if racks are summed first.
//
// Push: the block is cut into slices. Slice j, a fraction s_j of the block, is summed at aggregator
// j, and only the sum is sent on to the owners. A fraction s_0 is sent to the owners directly. An
// aggregator is any host with spare bandwidth; it may be a member. Pull is the same with all
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
// Racks: the same rule is used inside each rack, so that one block for each rack crosses the core.
// Then the sums go to the owners directly, or by the same rule again with racks as members. All
// shapes are tried by their exact loads, and the fastest one is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/network/types.h"

namespace surety::fabric {

struct Port {
  double out_bytes_per_s = 0;  // Spare rate, not promised to other rounds.
  double in_bytes_per_s = 0;
  std::uint32_t rack = 0;  // Index into Network::racks if there are racks.
};

struct Network {
  std::span<const Port> ports;  // Ports of hosts, by id.
  // Links between racks and the core; empty means that the core has no limit.
  std::span<const Port> racks;
};

struct Share {
  HostId host;
  double fraction = 0;
};

struct GroupTransfer {
  Direction direction = Direction::kPush;
  std::span<const HostId> members;  // Ascending, not empty.
  // Hosts that may sum or relay; ascending; may be empty.
  std::span<const HostId> aggregators;
  // Parts of the block: fractions above 0 with the sum 1, or 2 if every part has two owners.
  std::span<const Share> owners;
  // Maximum fraction of one aggregator, because of its memory; the rest is sent directly.
  double fraction_max = 1;
};

enum class PlanShape : std::uint8_t { kDirect, kFlat, kRack, kRackTwice };

struct SharePlan {
  PlanShape shape = PlanShape::kDirect;
  // s_0. In the direct and flat shapes, `direct` and the first shares sum to 1.
  double direct = 1;
  // Rack shapes: the shares of each rack with members sum to 1.
  std::vector<Share> first{};
  std::vector<Share> second{};  // Only for kRackTwice; they sum to 1.
  // Planned seconds for a byte of the block: the maximum of exact load over capacity.
  double s_per_byte = 0;
};

// One end of a link, which a round loads.
struct Resource {
  enum class Kind : std::uint8_t { kOut, kIn, kRackOut, kRackIn };
  Kind kind = Kind::kOut;
  std::uint32_t index = 0;  // Index of the host or the rack.
  friend auto operator<=>(const Resource&, const Resource&) = default;
};

struct Load {
  Resource resource;
  double per_byte = 0;  // Bytes on the resource for each byte of the block.
};

struct ShareOptions {
  // Only those with the most capacity are used; limits the number of slices.
  std::uint32_t aggregators_max = 64;
  // A more complicated shape must be faster by this factor to be chosen.
  double racks_gain_min = 1.01;
};

// Plans shares. It keeps arrays between calls, so that planning allocates only what it returns.
class SharePlanner {
 public:
  explicit SharePlanner(ShareOptions options = {}) : options_(options) {}

  // Returns the fastest plan, or nullopt if the network cannot carry the transfer because a member
  // or an owner has no capacity.
  // ENSURES: at rate 1 / s_per_byte no resource is loaded above its capacity; without racks and
  // with owners that are not aggregators, no two-hop plan is faster. Ties go to the simpler shape.
  // O(members + aggregators log aggregators + owners + racks).
  [[nodiscard]] std::optional<SharePlan> plan(const Network& network,
                                              const GroupTransfer& transfer);

  // Returns the loads of the plan, each resource once, in ascending order. Same cost.
  [[nodiscard]] std::vector<Load> loads(const Network& network, const GroupTransfer& transfer,
                                        const SharePlan& plan);

 private:
  struct Work;  // One call's view of its arguments and of the arrays below.

  struct PerEnd {
    std::vector<double> hosts;  // Indexed by id; all 0 between calls.
    std::vector<double> racks;  // Indexed by id; all 0 between calls.
  };

  ShareOptions options_;
  // Loads of a plan, for each byte, as for a push.
  PerEnd sent_;
  PerEnd received_;
  // Shares, by host and summed by rack.
  PerEnd first_;
  PerEnd second_;
  PerEnd owned_;
  // Hosts: 1 for a member. Racks: their number of members.
  PerEnd members_;
};

}  // namespace surety::fabric
