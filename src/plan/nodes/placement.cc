#include "plan/nodes/placement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/check.h"
#include "base/units.h"
#include "plan/nodes/node_options.h"
#include "plan/nodes/useful_nodes.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kNodesMax = 4096;

// ---- bad input ----------------------------------------------------------------------------------

enum class Range : std::uint8_t { kAboveZero, kAtLeastZero };
struct Field {
  const char* name;
  double NodeType::*value;
  Range range;
};
constexpr Field kFields[] = {{"speed factor", &NodeType::speed_factor, Range::kAboveZero},
                             {"price", &NodeType::price_per_s, Range::kAtLeastZero},
                             {"preemptions", &NodeType::preemptions_per_s, Range::kAtLeastZero},
                             {"restart", &NodeType::restart_s, Range::kAtLeastZero},
                             {"straggling", &NodeType::straggle_sd, Range::kAtLeastZero},
                             {"start", &NodeType::start_s, Range::kAtLeastZero},
                             {"available from", &NodeType::from_s, Range::kAtLeastZero}};

Result<void> check_number(const NodeType& type, const char* name, double value, Range range) {
  const bool above = range == Range::kAboveZero;
  if (std::isfinite(value) && (above ? value > 0 : value >= 0)) return {};
  return fail(ErrorCode::kInvalidInput, "nodes: {}: {}: found {:.4g}, expected {} 0", type.name,
              name, value, above ? "above" : "at least");
}

Result<void> check_numbers(const NodeType& type) {
  for (const Field& field : kFields) {
    SURETY_TRY(check_number(type, field.name, type.*field.value, field.range));
  }
  if (!type.until_s) return {};
  SURETY_TRY(check_number(type, "available until", *type.until_s, Range::kAboveZero));
  if (type.from_s < *type.until_s) return {};
  return fail(ErrorCode::kInvalidInput,
              "nodes: {}: available until {:.6g} s, expected later than from: {:.6g} s", type.name,
              *type.until_s, type.from_s);
}

// ---- the choice ---------------------------------------------------------------------------------

std::uint64_t need_of(const MemoryNeeds& memory, const std::string& version) {
  const auto it = memory.find(version);
  return it == memory.end() ? 0 : it->second;
}

std::vector<NodeType> holding(const std::vector<NodeType>& nodes, std::uint64_t need_bytes) {
  std::vector<NodeType> result;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(result),
               [&](const NodeType& type) { return can_hold(type, need_bytes); });
  return result;
}

// `count` of the indices below `size`, evenly spaced, both ends included.
std::vector<std::size_t> even_choice(std::size_t size, std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < std::min(size, count); ++i) {
    result.push_back(size <= count ? i : i * (size - 1) / std::max<std::size_t>(count - 1, 1));
  }
  return result;
}

using Options = std::vector<NodeOption>;

template <typename Better>
std::size_t best_of(const Options& options, Better better) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < options.size(); ++i) {
    if (better(options[i], options[best])) best = i;
  }
  return best;
}

// By how many seconds option i is faster than a mixture of its chosen neighbours with the same
// cost.
double below_chord(const Options& options, const std::set<std::size_t>& chosen, std::size_t i) {
  const auto after = chosen.upper_bound(i);
  if (after == chosen.begin() || after == chosen.end()) return 0;
  const NodeOption& cheap = options[*std::prev(after)];
  const NodeOption& dear = options[*after];
  const double share = dear.pass_cost > cheap.pass_cost ? (options[i].pass_cost - cheap.pass_cost) /
                                                              (dear.pass_cost - cheap.pass_cost)
                                                        : 0;
  return cheap.pass_s + share * (dear.pass_s - cheap.pass_s) - options[i].pass_s;
}

// The cheapest, the cheapest that is never preempted, the fastest, the fastest that is never
// preempted, then one knee after the other. Sorted by cost.
Options knots(const Options& options, std::size_t count) {
  const auto surely = [](const NodeOption& option) {
    return option.variant.preemptions_per_s == 0;
  };
  const auto cheapest_sure = [&](const NodeOption& a, const NodeOption& b) {
    return surely(a) && !surely(b);  // Options are sorted by cost.
  };
  const auto fastest = [](const NodeOption& a, const NodeOption& b) { return a.pass_s < b.pass_s; };
  const auto fastest_sure = [&](const NodeOption& a, const NodeOption& b) {
    return surely(a) != surely(b) ? surely(a) : a.pass_s < b.pass_s;
  };
  std::set<std::size_t> chosen;
  for (const std::size_t i : {std::size_t{0}, best_of(options, cheapest_sure),
                              best_of(options, fastest), best_of(options, fastest_sure)}) {
    if (chosen.size() < count) chosen.insert(i);
  }
  while (chosen.size() < std::min(count, options.size())) {
    std::size_t knee = options.size();
    double gain = 0;
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (chosen.contains(i)) continue;
      const double here = below_chord(options, chosen, i);
      if (knee < options.size() && here <= gain) continue;
      knee = i;
      gain = here;
    }
    chosen.insert(knee);
  }
  Options result;
  for (const std::size_t i : chosen) result.push_back(options[i]);
  return result;
}

// A law and its options.
struct Choice {
  std::size_t law = 0;
  Options options;
};

// Reduces the options of one version to at most `per_version`. `choices` are sorted by number of
// nodes.
void thin(std::vector<Choice>& choices, std::size_t per_version) {
  const bool is_single = std::all_of(choices.begin(), choices.end(),
                                     [](const Choice& c) { return c.options.size() == 1; });
  std::vector<Choice> kept;
  for (const std::size_t i :
       even_choice(choices.size(), is_single ? per_version : per_version / 2)) {
    kept.push_back(std::move(choices[i]));
  }
  // If a law has few options, the rest of its share goes to the other laws.
  std::vector<Choice*> order;
  for (Choice& choice : kept) order.push_back(&choice);
  std::stable_sort(order.begin(), order.end(), [](const Choice* a, const Choice* b) {
    return a->options.size() < b->options.size();
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i]->options = knots(order[i]->options, per_version / (order.size() - i));
    per_version -= order[i]->options.size();
  }
  choices = std::move(kept);
}

}  // namespace

Result<void> check_nodes(const std::vector<NodeType>& nodes) {
  std::set<std::string> names;
  bool is_there = false;
  for (const NodeType& type : nodes) {
    if (!names.insert(type.name).second) {
      return fail(ErrorCode::kInvalidInput, "nodes: {} is listed twice", type.name);
    }
    SURETY_TRY(check_numbers(type));
    is_there |= type.count > 0;
  }
  if (is_there) return {};
  return fail(ErrorCode::kInvalidInput, "nodes: found none, expected at least one to train on");
}

Result<void> check_memory(const std::vector<NodeType>& nodes,
                          const std::vector<std::string>& versions, const MemoryNeeds& memory) {
  SURETY_CHECK(!nodes.empty() && !versions.empty());
  const NodeType* largest = nullptr;
  for (const NodeType& type : nodes) {
    if (type.count == 0) continue;
    if (!type.memory_bytes) return {};
    if (largest == nullptr || *type.memory_bytes > *largest->memory_bytes) largest = &type;
  }
  SURETY_CHECK(largest != nullptr);
  const auto smallest = std::min_element(versions.begin(), versions.end(),
                                         [&](const std::string& a, const std::string& b) {
                                           return need_of(memory, a) < need_of(memory, b);
                                         });
  const std::uint64_t need = need_of(memory, *smallest);
  if (can_hold(*largest, need)) return {};
  return fail(ErrorCode::kInvalidInput,
              "nodes: {} has {}, and no version fits: the smallest, {}, needs {}", largest->name,
              format_bytes(*largest->memory_bytes), *smallest, format_bytes(need));
}

std::vector<NodeType> nodes_for(std::span<const Laws> laws, const std::vector<NodeType>& nodes,
                                const MemoryNeeds& memory) {
  std::vector<std::uint64_t> needs;
  std::uint32_t nodes_max = 1;
  for (const Laws& some : laws) {
    for (const VersionLaw& law : some.versions) {
      needs.push_back(need_of(memory, law.version));
      nodes_max = std::max(nodes_max, std::min(law.workers, kNodesMax));
    }
  }
  return useful_nodes(nodes, needs, nodes_max);
}

std::vector<Variant> make_variants(const Laws& laws, const std::vector<NodeType>& nodes,
                                   const MemoryNeeds& memory, std::size_t per_version) {
  SURETY_CHECK(per_version >= 2);
  const std::vector<NodeType> useful = nodes_for({&laws, 1}, nodes, memory);
  std::map<std::size_t, std::vector<Choice>> by_rank;
  std::map<std::size_t, Choice> on_all;  // The choice of each version's law for the fewest nodes.
  for (std::size_t i = 0; i < laws.versions.size(); ++i) {
    const VersionLaw& law = laws.versions[i];
    const std::vector<NodeType> fitting = holding(useful, need_of(memory, law.version));
    if (fitting.empty()) continue;
    if (!on_all.contains(law.rank)) {
      on_all[law.rank] = {i, {all_nodes(law, fitting, kNodesMax)}};
    }
    if (law.workers == 0 || law.workers > kNodesMax) continue;
    Options options = node_options(law, fitting, law.workers);
    if (!options.empty()) by_rank[law.rank].push_back({i, std::move(options)});
  }
  if (by_rank.empty()) {
    for (auto& [rank, choice] : on_all) by_rank[rank].push_back(std::move(choice));
  }
  std::vector<Variant> result;
  for (auto& [rank, choices] : by_rank) {
    thin(choices, per_version);
    for (const Choice& choice : choices) {
      for (const NodeOption& option : choice.options) {
        result.push_back(option.variant);
        result.back().version = choice.law;
      }
    }
  }
  return result;
}

std::vector<Variant> make_variants(const Laws& laws, const std::vector<NodeType>& nodes,
                                   std::size_t per_version) {
  return make_variants(laws, nodes, {}, per_version);
}

}  // namespace surety::plan
