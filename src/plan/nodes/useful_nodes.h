// Reduces many node types to those that can matter, for example 100,000 types to some hundred.
//
// Options (node_options.h) use a few nodes. A type is useless if enough other nodes are as good in
// every respect: price, speed, preemptions, straggling, start, memory, availability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "plan/promise.h"

namespace surety::plan {

// Omits types without nodes. Also omits a type if `nodes_max` nodes of other types cost no more and
// are no slower, and are equal in all other respects: they can hold the same of the `memory_needs`,
// are available in the same of the most common windows, and are in the same group by loss through
// preemptions, straggling and start. If these have few values, the groups are exact and no best
// option is lost. Types that are available in none of those windows are lost.
//
// Sorted by price per speed (ties: the faster, then the name), so the order of `nodes` does not
// matter. O(n log n).
[[nodiscard]] std::vector<NodeType> useful_nodes(const std::vector<NodeType>& nodes,
                                                 const std::vector<std::uint64_t>& memory_needs,
                                                 std::uint32_t nodes_max);

[[nodiscard]] inline bool can_hold(const NodeType& type, std::uint64_t need_bytes) {
  return !type.memory_bytes || *type.memory_bytes >= need_bytes;
}

// When nodes are available, since training began. The end is infinite if they stay available.
struct Window {
  double from_s = 0;
  double until_s = 0;
  friend auto operator<=>(const Window&, const Window&) = default;

  [[nodiscard]] bool covers(const Window& other) const {
    return from_s <= other.from_s && until_s >= other.until_s;
  }
};
[[nodiscard]] inline Window window_of(const NodeType& type) {
  return {type.from_s, type.until_s.value_or(std::numeric_limits<double>::infinity())};
}

// The windows that most nodes have (ties: the earlier), at most kWindowsMax, and the intersections
// of two of them. Each window appears once.
inline constexpr std::size_t kWindowsMax = 4;
[[nodiscard]] std::vector<Window> common_windows(const std::vector<NodeType>& nodes);

}  // namespace surety::plan
