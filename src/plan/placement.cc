#include "plan/placement.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kNodesMax = 4096;

// Prefixes of the nodes from cheap to dear, by count.
std::vector<Variant> node_prefixes(std::vector<NodeType> nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const NodeType& a, const NodeType& b) {
    return std::tuple(a.price_per_s / a.speed_factor, -a.speed_factor, a.name) <
           std::tuple(b.price_per_s / b.speed_factor, -b.speed_factor, b.name);
  });
  std::vector<Variant> prefixes;
  Variant sum;
  for (const NodeType& type : nodes) {
    for (std::uint32_t i = 0; i < type.count && sum.nodes < kNodesMax; ++i) {
      sum.nodes += 1;
      sum.speed += type.speed_factor;
      sum.price_per_s += type.price_per_s;
      prefixes.push_back(sum);
    }
  }
  return prefixes;
}

// Indices of each version's laws that need at most `nodes`, ascending in nodes.
std::vector<std::vector<std::size_t>> laws_within(const Laws& laws, std::size_t nodes) {
  std::vector<std::vector<std::size_t>> by_rank;
  for (std::size_t i = 0; i < laws.versions.size(); ++i) {
    const VersionLaw& law = laws.versions[i];
    if (law.rank >= by_rank.size()) by_rank.resize(law.rank + 1);
    if (law.workers <= nodes) by_rank[law.rank].push_back(i);
  }
  return by_rank;
}

}  // namespace

std::vector<Variant> make_variants(const Laws& laws, const std::vector<NodeType>& nodes,
                                   std::size_t per_version) {
  SURETY_CHECK(per_version >= 2);
  const std::vector<Variant> prefixes = node_prefixes(nodes);
  SURETY_CHECK(!prefixes.empty());
  std::vector<Variant> result;
  for (const auto& fitting : laws_within(laws, prefixes.size())) {
    const std::size_t count = std::min(per_version, fitting.size());
    for (std::size_t i = 0; i < count; ++i) {  // Evenly, both ends included.
      const std::size_t law = fitting[count == 1 ? 0 : i * (fitting.size() - 1) / (count - 1)];
      result.push_back(prefixes[laws.versions[law].workers - 1]);
      result.back().version = law;
    }
  }
  if (!result.empty()) return result;
  for (std::size_t i = 0; i < laws.versions.size(); ++i) {
    if (i > 0 && laws.versions[i].rank == laws.versions[i - 1].rank) continue;
    result.push_back(prefixes.back());
    result.back().version = i;
  }
  return result;
}

}  // namespace surety::plan
