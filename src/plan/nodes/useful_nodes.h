// Which of many node types can matter at all: of 100,000, some hundred.
//
// Options (node_options.h) take a few nodes. A type is of no use where enough others are as good in
// every respect: price, speed, preemptions, straggling, start, memory, availability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/promise.h"

namespace surety::plan {

// Leaves out types without nodes and those that `nodes_max` nodes of other types are no dearer and
// no slower than, among types that are alike in all else: able to hold the same of the
// `memory_needs`, available in the same of the windows that most nodes share, and in one of a few
// groups by loss through preemptions, straggling and start. Where these take few values the groups
// are exact and no best option is lost; types that are available in none of those windows are.
// Ascending in price per speed (ties: the faster, then the name): the order of `nodes` does not
// matter. O(n log n).
[[nodiscard]] std::vector<NodeType> useful_nodes(const std::vector<NodeType>& nodes,
                                                 const std::vector<std::uint64_t>& memory_needs,
                                                 std::uint32_t nodes_max);

[[nodiscard]] inline bool can_hold(const NodeType& type, std::uint64_t need_bytes) {
  return type.memory_bytes == 0 || type.memory_bytes >= need_bytes;
}

// When nodes are there, since training began.
struct Window {
  double from_s = 0, until_s = 0;
  friend auto operator<=>(const Window&, const Window&) = default;

  [[nodiscard]] bool covers(const Window& other) const {
    return from_s <= other.from_s && until_s >= other.until_s;
  }
};
[[nodiscard]] inline Window window_of(const NodeType& type) { return {type.from_s, type.until_s}; }

// The windows, at most kWindowsMax, that most nodes have (ties: the earlier), and what two of them
// have in common; each once.
inline constexpr std::size_t kWindowsMax = 4;
[[nodiscard]] std::vector<Window> common_windows(const std::vector<NodeType>& nodes);

}  // namespace surety::plan
