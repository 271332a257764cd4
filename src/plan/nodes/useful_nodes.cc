#include "plan/nodes/useful_nodes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "base/check.h"

namespace surety::plan {
namespace {

// Groups values of one kind: each value is its own group if there are few, otherwise equal shares.
class Groups {
 public:
  Groups(std::vector<double> values, std::size_t groups_max) {
    for (const double value : values) {
      const auto at = std::lower_bound(firsts_.begin(), firsts_.end(), value);
      if (at != firsts_.end() && *at == value) continue;
      firsts_.insert(at, value);
      if (firsts_.size() > groups_max) break;
    }
    if (firsts_.size() > groups_max) cut(std::move(values), groups_max);
  }
  [[nodiscard]] std::uint32_t of(double value) const {
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), value);
    return static_cast<std::uint32_t>(after - firsts_.begin());
  }

 private:
  void cut(std::vector<double> values, std::size_t groups_max) {
    firsts_.resize(groups_max);
    for (std::size_t i = 0; i < groups_max; ++i) {
      const auto at = values.begin() + static_cast<std::ptrdiff_t>(i * values.size() / groups_max);
      std::nth_element(values.begin(), at, values.end());
      firsts_[i] = *at;
    }
  }

  std::vector<double> firsts_;  // Smallest value of each group, in ascending order.
};

template <typename Value>
std::vector<double> values_of(const std::vector<NodeType>& nodes, Value value) {
  std::vector<double> values;
  values.reserve(nodes.size());
  for (const NodeType& type : nodes) values.push_back(value(type));
  return values;
}

// Indices of the types that `wanted` selects, sorted by two keys, then by name.
template <typename Key, typename Wanted>
std::vector<std::uint32_t> order_by(const std::vector<NodeType>& nodes, Wanted wanted, Key key) {
  struct Entry {
    std::pair<double, double> key;
    std::uint32_t index;
  };
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (wanted(nodes[i])) entries.push_back({key(nodes[i]), i});
  }
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key < b.key : nodes[a.index].name < nodes[b.index].name;
  });
  std::vector<std::uint32_t> order;
  for (const Entry& entry : entries) order.push_back(entry.index);
  return order;
}

double loss(const NodeType& type) { return type.preemptions_per_s * type.restart_s; }
double straggle(const NodeType& type) { return type.straggle_sd; }
double start(const NodeType& type) { return type.start_s; }

// Types of one kind are equal in all respects except price and speed.
class Kinds {
 public:
  using Kind = std::array<std::uint32_t, 6>;

  Kinds(const std::vector<NodeType>& nodes, std::vector<std::uint64_t> memory_needs)
      : needs_(std::move(memory_needs)),
        windows_(common_windows(nodes)),
        losses_(values_of(nodes, loss), 4),
        straggling_(values_of(nodes, straggle), 3),
        starts_(values_of(nodes, start), 2) {}

  [[nodiscard]] bool is_available(const NodeType& type) const { return window_bits(type) != 0; }
  [[nodiscard]] Kind of(const NodeType& type) const {
    const auto held = std::count_if(needs_.begin(), needs_.end(),
                                    [&](std::uint64_t need) { return can_hold(type, need); });
    return {static_cast<std::uint32_t>(held),  // The smaller needs; the number identifies them.
            window_bits(type),
            type.preemptions_per_s > 0 ? 1u : 0u,
            losses_.of(loss(type)),
            straggling_.of(straggle(type)),
            starts_.of(start(type))};
  }

 private:
  [[nodiscard]] std::uint32_t window_bits(const NodeType& type) const {
    std::uint32_t bits = 0;
    for (const Window& window : windows_) {
      bits = 2 * bits + (window_of(type).covers(window) ? 1 : 0);
    }
    return bits;
  }

  std::vector<std::uint64_t> needs_;
  std::vector<Window> windows_;
  Groups losses_;
  Groups straggling_;
  Groups starts_;
};

// The fastest nodes so far, at most `nodes_max`.
class Fastest {
 public:
  explicit Fastest(std::uint32_t nodes_max) : nodes_max_(nodes_max) {}

  // Whether enough nodes are at least as fast.
  [[nodiscard]] bool beats(double speed) const {
    return nodes_ >= nodes_max_ && slowest_first_.top().first >= speed;
  }
  void add(double speed, std::uint32_t count) {
    count = std::min(count, nodes_max_);
    slowest_first_.push({speed, count});
    nodes_ += count;
    while (nodes_ - slowest_first_.top().second >= nodes_max_) {
      nodes_ -= slowest_first_.top().second;
      slowest_first_.pop();
    }
  }

 private:
  using Nodes = std::pair<double, std::uint32_t>;
  std::uint32_t nodes_max_;
  std::uint32_t nodes_ = 0;
  // Filled by add(), which also removes types that are not needed to reach nodes_max_.
  std::priority_queue<Nodes, std::vector<Nodes>, std::greater<>> slowest_first_;
};

}  // namespace

std::vector<Window> common_windows(const std::vector<NodeType>& nodes) {
  std::map<Window, std::uint64_t> counts;
  for (const NodeType& type : nodes) {
    if (type.count > 0) counts[window_of(type)] += type.count;
  }
  std::vector<Window> windows;
  for (const auto& [window, count] : counts) windows.push_back(window);
  std::stable_sort(windows.begin(), windows.end(),
                   [&](const Window& a, const Window& b) { return counts[a] > counts[b]; });
  windows.resize(std::min(windows.size(), kWindowsMax));
  std::set<Window> known(windows.begin(), windows.end());
  for (std::size_t i = 0, own = windows.size(); i < own; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Window both{std::max(windows[i].from_s, windows[j].from_s),
                        std::min(windows[i].until_s, windows[j].until_s)};
      if (both.from_s < both.until_s && known.insert(both).second) windows.push_back(both);
    }
  }
  return windows;
}

std::vector<NodeType> useful_nodes(const std::vector<NodeType>& nodes,
                                   const std::vector<std::uint64_t>& memory_needs,
                                   std::uint32_t nodes_max) {
  SURETY_CHECK(nodes_max > 0);
  const Kinds kinds(nodes, memory_needs);
  const auto is_there = [&](const NodeType& type) {
    return type.count > 0 && kinds.is_available(type);
  };
  std::map<Kinds::Kind, Fastest> fastest;
  std::vector<NodeType> useful;
  for (const std::uint32_t i : order_by(nodes, is_there, [](const NodeType& type) {
         return std::pair(type.price_per_s, -type.speed_factor);
       })) {
    const NodeType& type = nodes[i];
    Fastest& others = fastest.try_emplace(kinds.of(type), nodes_max).first->second;
    if (others.beats(type.speed_factor)) continue;
    others.add(type.speed_factor, type.count);
    useful.push_back(type);
  }
  std::vector<NodeType> result;
  for (const std::uint32_t i : order_by(
           useful, [](const NodeType&) { return true; },
           [](const NodeType& type) {
             return std::pair(type.price_per_s / type.speed_factor, -type.speed_factor);
           })) {
    result.push_back(std::move(useful[i]));
  }
  return result;
}

}  // namespace surety::plan
