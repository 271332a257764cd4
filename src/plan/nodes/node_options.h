// Options for the nodes of a version: those that no other option beats (the Pareto set).
//
// An option is a choice of W nodes, where W is the profiled number. The sums of their speeds and of
// their prices are S and P. L is the sum over the nodes of the time that preemptions cost, as a
// share of running time. A pass takes
//
//   T = (a M / S + eval) (1 + L)   on average, and costs P T,
//
// where a is a parameter of the law, and M is the mean of the slowest node. Options on the lower
// hull of (log T, log P T) minimise log T + theta log P for some theta in [0, 1]. To first order
// that is a sum of prices, one for each node:
//
//   theta p_i / P - g s_i / S + l_i / (1 + L),   g the share of training in a M / S + eval.
//
// So the next choice is the W nodes with the lowest such price, evaluated at the sums of the last
// choice, until it does not change (a linearisation as in Frank and Wolfe 1956, in integral steps).
// This is done for theta 1 and 0, and then for values at which two neighbouring choices are equally
// good (dichotomic search: Aneja and Nair 1979).
//
// The search runs among all nodes, and separately among parts of them, because a cheap mixture
// could hide their options: nodes that are never preempted, nodes that are, nodes that straggle
// less, and nodes that are available in the same window of time. The options of nodes of a single
// type are added.
//
// Then, if the choices consist of few types, one node at a time is exchanged for another, which
// finds options between the corners of the hull. With up to 50 types and under any time limit, the
// cheapest option then costs at most 0.5 % more than the exact optimum. Without the exchange it
// costs up to 65 % more (placement_exact_test.cc).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/promise.h"
#include "plan/types.h"

namespace surety::plan {

struct NodeOption {
  Variant variant;       // Its `version` stays 0.
  double pass_s = 0;     // Mean duration of a pass.
  double pass_cost = 0;  // Mean cost of a pass.
};

// Whether a beats b: it takes no longer, costs no more, starts no later, is available whenever b
// is, and is not preempted unless b is.
[[nodiscard]] bool beats(const NodeOption& a, const NodeOption& b);

// Options of exactly `count` nodes, sorted by mean cost of a pass. No option beats another; of
// equal options one is kept. Empty if no window of time has this many nodes. REQUIRES: count > 0;
// `nodes` as returned by useful_nodes(). O(choices * (nodes + count log count)), with some 20
// choices for each part of the nodes.
[[nodiscard]] std::vector<NodeOption> node_options(const VersionLaw& law,
                                                   const std::vector<NodeType>& nodes,
                                                   std::uint32_t count);

// All nodes of the window with the most nodes, at most `count_max`, cheapest first. REQUIRES:
// `nodes` is not empty, and as returned by useful_nodes().
[[nodiscard]] NodeOption all_nodes(const VersionLaw& law, const std::vector<NodeType>& nodes,
                                   std::uint32_t count_max);

}  // namespace surety::plan
