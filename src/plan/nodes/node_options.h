// The nodes that a version could run on: options that no other beats.
//
// An option is a choice of W nodes, W as profiled. Its speeds and prices add up to S and P, the
// time that preemptions cost its nodes, as a share of the time they run, to L; a pass takes
//
//   T = (a M / S + eval) (1 + L)   on average, and costs P T,
//
// a from the law and M the mean of the slowest node. Options on the lower hull of (log T, log P T)
// minimise log T + theta log P for some theta in [0, 1], and to first order that is a sum of
// prices, one per node:
//
//   theta p_i / P - g s_i / S + l_i / (1 + L),   g the share of training in a M / S + eval.
//
// So the W nodes with the lowest such price, at the sums that the last choice had, are the next
// choice, until it stays (a linearisation as in Frank and Wolfe 1956, in integral steps): for theta
// 1 and 0, and then for those at which two neighbouring choices are alike (dichotomic search: Aneja
// and Nair 1979). This is done among all nodes, and among parts of them that a cheap mixture would
// hide: those that are never preempted, those that are, those that straggle less, those that are
// there in the same window of time. Nodes of a single type join; then, where the choices are made
// of few types, one node at a time is exchanged for another: between the corners of the hull. Under
// any time limit the cheapest option costs at most 0.5 % more than the exact optimum of up to 50
// types, without the exchange up to 65 % (placement_exact_test.cc).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/promise.h"
#include "plan/types.h"

namespace surety::plan {

struct NodeOption {
  Variant variant;       // `version` is left at 0.
  double pass_s = 0;     // Mean.
  double pass_cost = 0;  // Mean.
};

// Does a beat b: no longer, no dearer, no later to start, there whenever b is, and not preempted
// unless b is?
[[nodiscard]] bool beats(const NodeOption& a, const NodeOption& b);

// Options of exactly `count` nodes by mean cost of a pass, ascending; none beats another, none is
// left out for one that is the same. Empty where no window of time has so many nodes.
// REQUIRES: count > 0; `nodes` as useful_nodes() returns them.
// O(choices * (nodes + count log count)), some 20 choices for each part of the nodes.
[[nodiscard]] std::vector<NodeOption> node_options(const VersionLaw& law,
                                                   const std::vector<NodeType>& nodes,
                                                   std::uint32_t count);

// All nodes of the window that has most, `count_max` at most, cheapest first.
// REQUIRES: `nodes` is not empty; as useful_nodes() returns them.
[[nodiscard]] NodeOption all_nodes(const VersionLaw& law, const std::vector<NodeType>& nodes,
                                   std::uint32_t count_max);

}  // namespace surety::plan
