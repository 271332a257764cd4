#include "plan/nodes/node_options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/check.h"
#include "plan/laws/time_model.h"
#include "plan/nodes/useful_nodes.h"

namespace surety::plan {
namespace {

// Limit of the steps until the choice does not change. Later steps rarely change it.
constexpr int kStepsMax = 3;
// 15 choices between the cheapest and the fastest; 63 are no closer to the exact optimum.
constexpr int kHalvingMax = 4;
// Nodes are exchanged if there are at most this many types: this makes types^2 options for each
// option that is not dominated.
constexpr std::size_t kTypesToExchange = 24;

using Pool = std::vector<std::uint32_t>;  // Indices of types, in ascending order.
// Pairs of type and count, in ascending order.
using Picks = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The last time at which the nodes are available; infinite if there is none.
double until_of(const Variant& variant) {
  return variant.until_s.value_or(std::numeric_limits<double>::infinity());
}

Variant variant_of(const std::vector<NodeType>& nodes, const Picks& picks) {
  Variant sum;
  double loss = 0;
  for (const auto& [index, count] : picks) {
    const NodeType& type = nodes[index];
    sum.counts.push_back({type.name, count});
    sum.nodes += count;
    sum.speed += count * type.speed_factor;
    sum.price_per_s += count * type.price_per_s;
    sum.preemptions_per_s += count * type.preemptions_per_s;
    loss += count * type.preemptions_per_s * type.restart_s;
    sum.straggle_sd = std::max(sum.straggle_sd, type.straggle_sd);
    sum.start_s = std::max(sum.start_s, type.start_s);
    sum.from_s = std::max(sum.from_s, type.from_s);
    if (type.until_s) sum.until_s = std::min(until_of(sum), *type.until_s);
  }
  if (sum.preemptions_per_s > 0) sum.restart_s = loss / sum.preemptions_per_s;
  return sum;
}

NodeOption option_of(const VersionLaw& law, Variant variant) {
  const double pass_s = pass_duration(law, variant).mean_s();
  const double pass_cost = variant.price_per_s * pass_s;
  return {std::move(variant), pass_s, pass_cost};
}

std::uint64_t nodes_in(const std::vector<NodeType>& nodes, const Pool& pool) {
  std::uint64_t sum = 0;
  for (const std::uint32_t index : pool) sum += nodes[index].count;
  return sum;
}

template <typename Wanted>
Pool part_of(const std::vector<NodeType>& nodes, const Pool& pool, Wanted wanted) {
  Pool part;
  std::copy_if(pool.begin(), pool.end(), std::back_inserter(part),
               [&](std::uint32_t index) { return wanted(nodes[index]); });
  return part;
}

std::vector<Pool> pools_by_window(const std::vector<NodeType>& nodes) {
  Pool all(nodes.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<Pool> pools;
  for (const Window& window : common_windows(nodes)) {
    pools.push_back(
        part_of(nodes, all, [&](const NodeType& type) { return window_of(type).covers(window); }));
  }
  return pools;
}

// The parts of the nodes from which options are chosen; each part once.
std::set<Pool> parts_of(const std::vector<NodeType>& nodes) {
  std::vector<double> straggling;
  for (const NodeType& type : nodes) straggling.push_back(type.straggle_sd);
  std::sort(straggling.begin(), straggling.end());
  std::set<Pool> parts;
  for (const Pool& there : pools_by_window(nodes)) {
    for (const std::size_t third : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
      const double most = third == 3 ? straggling.back() : straggling[third * nodes.size() / 3];
      const Pool steady =
          part_of(nodes, there, [&](const NodeType& type) { return type.straggle_sd <= most; });
      parts.insert(steady);
      parts.insert(
          part_of(nodes, steady, [](const NodeType& type) { return type.preemptions_per_s == 0; }));
      parts.insert(
          part_of(nodes, steady, [](const NodeType& type) { return type.preemptions_per_s > 0; }));
    }
  }
  return parts;
}

// Collects options for one law.
class Search {
 public:
  Search(const VersionLaw& law, const std::vector<NodeType>& nodes, std::uint32_t count)
      : law_(law), nodes_(nodes), count_(count) {}

  void choose_among(const Pool& pool) {
    const Prices average = mean_prices(pool);
    add(cheapest(pool, {.per_price = 1, .per_speed = 0, .per_loss = 0}, 1));
    add(cheapest(pool, {.per_price = 0, .per_speed = 1, .per_loss = 0}, 1));
    const Picks dear = choose(pool, average, 0);
    const Picks cheap = choose(pool, average, 1);
    if (cheap != dear) choose_between(pool, cheap, dear, kHalvingMax);
  }

  void choose_single_types() {
    for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
      if (nodes_[index].count >= count_) add({{index, count_}});
    }
  }

  // Among all types if there are few, otherwise among those of the best options.
  void exchange_nodes() {
    const std::vector<Picks> best = picks_of_best();
    std::set<std::uint32_t> types;
    for (std::uint32_t i = 0; i < nodes_.size() && nodes_.size() <= kTypesToExchange; ++i) {
      types.insert(i);
    }
    for (const Picks& picks : best) {
      for (const auto& [index, count] : picks) types.insert(index);
    }
    if (types.size() > kTypesToExchange) return;
    for (const Picks& picks : best) {
      for (const auto& [out, count] : picks) {
        for (const std::uint32_t in : types) add(exchanged(picks, out, in));
      }
    }
  }

  [[nodiscard]] std::vector<NodeOption> best() const {
    std::vector<NodeOption> options;
    for (const Picks& picks : picks_of_best()) options.push_back(found_.at(picks));
    return options;
  }

 private:
  // Weights of a node's price, speed and loss: derivatives of log cost and log time by the sums.
  struct Prices {
    double per_price = 0;
    double per_speed = 0;
    double per_loss = 0;
  };

  // The choice that does not change at theta, starting from these prices; the last one after
  // kStepsMax.
  Picks choose(const Pool& pool, Prices prices, double theta) {
    Picks picks;
    for (int step = 0; step < kStepsMax; ++step) {
      Picks next = cheapest(pool, prices, theta);
      if (next == picks) break;
      picks = std::move(next);
      add(picks);
      const auto it = found_.find(picks);
      if (it == found_.end()) break;
      prices = prices_at(it->second);
    }
    return picks;
  }

  // Finds the choice at the theta for which these two are equally good, and continues on both sides
  // of it (dichotomic search: Aneja and Nair 1979).
  void choose_between(const Pool& pool, const Picks& cheap, const Picks& dear, int halving) {
    const auto a = found_.find(cheap);
    const auto b = found_.find(dear);
    if (halving == 0 || a == found_.end() || b == found_.end()) return;
    const double saved = std::log(a->second.pass_s / b->second.pass_s);
    const double paid = std::log(b->second.variant.price_per_s / a->second.variant.price_per_s);
    if (!(saved > 0 && paid > 0 && std::isfinite(paid))) return;
    const Prices at_cheap = prices_at(a->second);
    const Prices at_dear = prices_at(b->second);
    const Prices between{.per_price = (at_cheap.per_price + at_dear.per_price) / 2,
                         .per_speed = (at_cheap.per_speed + at_dear.per_speed) / 2,
                         .per_loss = (at_cheap.per_loss + at_dear.per_loss) / 2};
    const Picks middle = cheapest(pool, between, saved / paid);
    if (middle == cheap || middle == dear) return;
    add(middle);
    choose_between(pool, cheap, middle, halving - 1);
    choose_between(pool, middle, dear, halving - 1);
  }

  Prices prices_at(const NodeOption& option) const {
    const Variant& sum = option.variant;
    const double loss = sum.preemptions_per_s * sum.restart_s;
    const double training_share = 1 - law_.time.eval_s * (1 + loss) / option.pass_s;
    return {.per_price = sum.price_per_s > 0 ? 1 / sum.price_per_s : 0,
            .per_speed = training_share / sum.speed,
            .per_loss = 1 / (1 + loss)};
  }

  // The prices if all nodes are average.
  Prices mean_prices(const Pool& pool) const {
    Picks all;
    for (const std::uint32_t index : pool) all.emplace_back(index, nodes_[index].count);
    Variant sum = variant_of(nodes_, all);
    const double share = static_cast<double>(count_) / static_cast<double>(nodes_in(nodes_, pool));
    sum.nodes = count_;
    sum.speed *= share;
    sum.price_per_s *= share;
    sum.preemptions_per_s *= share;
    return prices_at(option_of(law_, std::move(sum)));
  }

  // The nodes with the lowest price theta p_i / P - g s_i / S + l_i / (1 + L).
  [[nodiscard]] Picks cheapest(const Pool& pool, const Prices& prices, double theta) const {
    std::vector<std::pair<double, std::uint32_t>> order;
    for (const std::uint32_t index : pool) {
      const NodeType& type = nodes_[index];
      order.emplace_back(theta * prices.per_price * type.price_per_s -
                             prices.per_speed * type.speed_factor +
                             prices.per_loss * type.preemptions_per_s * type.restart_s,
                         index);
    }
    if (order.size() > count_) {  // Each type has at least one node.
      std::nth_element(order.begin(), order.begin() + count_, order.end());
      order.resize(count_);
    }
    std::sort(order.begin(), order.end());
    Picks picks;
    std::uint32_t left = count_;
    for (const auto& [cost, index] : order) {
      if (left == 0) break;
      picks.emplace_back(index, std::min(left, nodes_[index].count));
      left -= picks.back().second;
    }
    SURETY_CHECK(left == 0);
    std::sort(picks.begin(), picks.end());
    return picks;
  }

  // Does nothing if the option is known or its nodes are not available at the same time.
  void add(const Picks& picks) {
    if (picks.empty() || found_.contains(picks)) return;
    Variant variant = variant_of(nodes_, picks);
    if (variant.from_s >= until_of(variant)) return;
    const auto [it, is_new] = slowest_.try_emplace(variant.straggle_sd, 0.0);
    if (is_new) it->second = slowest_mean(variant.straggle_sd, count_);
    const double pass_s = pass_duration(law_, variant).mean_s(it->second);
    const double pass_cost = variant.price_per_s * pass_s;
    found_.emplace(picks, NodeOption{std::move(variant), pass_s, pass_cost});
  }

  // Replaces one node of type `out` by one of type `in`. Empty if no such node is left.
  [[nodiscard]] Picks exchanged(const Picks& picks, std::uint32_t out, std::uint32_t in) const {
    std::map<std::uint32_t, std::uint32_t> counts(picks.begin(), picks.end());
    if (--counts[out] == 0) counts.erase(out);
    if (++counts[in] > nodes_[in].count) return {};
    return {counts.begin(), counts.end()};
  }

  // Options are sorted by cost, then by time. An option that is beaten is then beaten by an earlier
  // option that is not.
  [[nodiscard]] std::vector<Picks> picks_of_best() const {
    using Entry = std::pair<const Picks, NodeOption>;
    std::vector<const Entry*> order;
    for (const Entry& entry : found_) order.push_back(&entry);
    const auto rank = [](const Entry* entry) {
      const NodeOption& option = entry->second;
      const Variant& variant = option.variant;
      return std::tuple(option.pass_cost, option.pass_s, variant.preemptions_per_s > 0,
                        variant.start_s, variant.from_s, -until_of(variant));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Entry* a, const Entry* b) { return rank(a) < rank(b); });
    std::vector<const Entry*> best;
    std::vector<Picks> picks;
    for (const Entry* entry : order) {
      const auto loses = [&](const Entry* other) { return beats(other->second, entry->second); };
      if (std::any_of(best.begin(), best.end(), loses)) continue;
      best.push_back(entry);
      picks.push_back(entry->first);
    }
    return picks;
  }

  const VersionLaw& law_;
  const std::vector<NodeType>& nodes_;
  std::uint32_t count_;
  std::map<Picks, NodeOption> found_;  // Filled by add().
  std::map<double, double> slowest_;   // slowest_mean() by spread; filled by add().
};

}  // namespace

bool beats(const NodeOption& a, const NodeOption& b) {
  const bool as_sure = a.variant.preemptions_per_s == 0 || b.variant.preemptions_per_s > 0;
  return a.pass_s <= b.pass_s && a.pass_cost <= b.pass_cost && as_sure &&
         a.variant.start_s <= b.variant.start_s && a.variant.from_s <= b.variant.from_s &&
         until_of(a.variant) >= until_of(b.variant);
}

std::vector<NodeOption> node_options(const VersionLaw& law, const std::vector<NodeType>& nodes,
                                     std::uint32_t count) {
  SURETY_CHECK(count > 0);
  Search search(law, nodes, count);
  for (const Pool& pool : parts_of(nodes)) {
    if (nodes_in(nodes, pool) >= count) search.choose_among(pool);
  }
  search.choose_single_types();
  search.exchange_nodes();
  return search.best();
}

NodeOption all_nodes(const VersionLaw& law, const std::vector<NodeType>& nodes,
                     std::uint32_t count_max) {
  const std::vector<Pool> pools = pools_by_window(nodes);
  SURETY_CHECK(!pools.empty());
  const Pool& most = *std::max_element(
      pools.begin(), pools.end(),
      [&](const Pool& a, const Pool& b) { return nodes_in(nodes, a) < nodes_in(nodes, b); });
  Picks picks;
  for (const std::uint32_t index : most) {
    if (count_max == 0) break;
    picks.emplace_back(index, std::min(count_max, nodes[index].count));
    count_max -= picks.back().second;
  }
  return option_of(law, variant_of(nodes, picks));
}

}  // namespace surety::plan
