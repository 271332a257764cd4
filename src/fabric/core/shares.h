// How one block travels between a group of members and the owners of the model: in at most two hops
// over hosts with spare bandwidth, or three where racks are summed first.
//
// Push: the block is cut into slices; slice j, a fraction s_j of the block, is summed at aggregator
// j, and only the sum goes on to the owners; a fraction s_0 goes to the owners directly. An
// aggregator is any host with spare bandwidth, members included. Pull is the same with every
// arrow turned round: the owners send slice j once to relay j, which sends it to all others.
//
// With K members, t seconds for a byte of the block, and ports U (out) and D (in), a push has
//   1 <= t U_i                           member i sends all of its block
//   (K - [j is a member]) s_j <= t D_j   aggregator j hears all members but itself
//   s_j <= t U_j                         and sends its sum, unless it is a member: that is above
//   w_h (1 + (K - 1) s_0) <= t D_h       owner h of a part w_h of the block
// so that t = t_min = max(1/U_i, w_h/D_h) if the aggregators' capacity R = sum_j c_j, with
// c_j = min(D_j / (K - [j]), U_j), has t_min R >= 1; else t = K / (D + (K - 1) R) with
// D = min_h D_h / w_h, and s_0 takes the rest. In a homogeneous cluster t = 1/B for any K.
//
// Racks: the same rule inside each rack, so that one block per rack crosses the core; then to the
// owners directly, or by the same rule again with racks as members. All are tried, by their exact
// loads; the fastest is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/core/types.h"

namespace surety::fabric {

struct Port {
  double out_bytes_per_s = 0;  // Spare, that is not promised to other rounds.
  double in_bytes_per_s = 0;
  std::uint32_t rack = 0;  // Index into Network::racks, where there are any.
};

struct Network {
  std::span<const Port> ports;  // Of hosts, by id.
  std::span<const Port> racks;  // Between a rack and the core; empty: nothing limits the core.
};

struct Share {
  HostId host;
  double fraction = 0;
};

struct GroupTransfer {
  Direction direction = Direction::kPush;
  std::span<const HostId> members;      // Ascending, not empty.
  std::span<const HostId> aggregators;  // Who may sum or relay; ascending; may be empty.
  // Of the block: fractions above 0 that sum to 1; to 2 where replicas hear all that owners hear.
  std::span<const Share> owners;
  double fraction_max = 1;  // Of one aggregator, for its memory; the rest goes directly.
};

enum class PlanShape : std::uint8_t { kDirect, kFlat, kRack, kRackTwice };
[[nodiscard]] const char* name_of(PlanShape shape);

struct SharePlan {
  PlanShape shape = PlanShape::kDirect;
  double direct = 1;            // s_0. Direct and flat: direct and the first shares sum to 1.
  std::vector<Share> first{};   // Rack shapes: the shares of each rack with members sum to 1.
  std::vector<Share> second{};  // Only kRackTwice; sum to 1.
  double s_per_byte = 0;        // The exact loads over the capacities: what is planned.
};

// One end of a link: what a round loads it with.
struct Resource {
  enum class Kind : std::uint8_t { kOut, kIn, kRackOut, kRackIn };
  Kind kind = Kind::kOut;
  std::uint32_t index = 0;  // Of the host or the rack.
  friend auto operator<=>(const Resource&, const Resource&) = default;
};

struct Load {
  Resource resource;
  double per_byte = 0;  // Bytes on the resource for each byte of the block.
};

struct Flow {
  HostId from, to;
  double fraction = 0;  // Of the block.
  std::uint8_t hop = 0;
};

struct ShareOptions {
  std::uint32_t aggregators_max = 64;  // Those with the most capacity; bounds the slices' number.
  double racks_gain_min = 1.01;        // A more complicated shape must be so much faster.
};

// Keeps arrays between calls, so that planning allocates only what it returns.
class SharePlanner {
 public:
  explicit SharePlanner(ShareOptions options = {}) : options_(options) {}

  // Nothing where the network cannot carry it: a member or an owner without capacity.
  // ENSURES: at rate 1 / s_per_byte no resource is loaded above its capacity; without racks and
  // with owners that are no aggregators, no two-hop plan is faster. Ties go to the simpler shape.
  // O(members + aggregators log aggregators + owners + racks).
  [[nodiscard]] std::optional<SharePlan> plan(const Network& network,
                                              const GroupTransfer& transfer);

  // What the plan loads, each resource once, ascending. Same cost.
  [[nodiscard]] std::vector<Load> loads(const Network& network, const GroupTransfer& transfer,
                                        const SharePlan& plan);

 private:
  struct Work;  // One call's view of its arguments and of the arrays below.

  struct PerEnd {
    std::vector<double> hosts, racks;  // By id; all 0 between calls.
  };

  ShareOptions options_;
  PerEnd sent_, heard_;            // What a plan loads, per byte, as for a push.
  PerEnd first_, second_, owned_;  // Shares, by host and summed by rack.
  PerEnd members_;                 // 1 for a member; their number in a rack.
};

// Who sends what to whom: what hosts carry out, and an independent account of the loads.
// O(members * aggregators).
[[nodiscard]] std::vector<Flow> flows_of(const Network& network, const GroupTransfer& transfer,
                                         const SharePlan& plan);

}  // namespace surety::fabric
