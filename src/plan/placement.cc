#include "plan/placement.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kNodesMax = 4096;
constexpr double kWorthIt = 1e-9;  // Relative: rounding is no gain.

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

// Fastest first; each next one is cheaper per pass than all before it.
std::vector<Variant> front(std::vector<Variant> prefixes, const PassTime& time) {
  const auto seconds = [&](const Variant& v) { return time.median_s(v.speed); };
  const auto cost = [&](const Variant& v) { return seconds(v) * v.price_per_s; };
  std::stable_sort(prefixes.begin(), prefixes.end(), [&](const Variant& a, const Variant& b) {
    return std::tuple(seconds(a), cost(a)) < std::tuple(seconds(b), cost(b));
  });
  std::vector<Variant> kept;
  for (const Variant& v : prefixes) {
    if (kept.empty() || cost(v) < cost(kept.back()) * (1 - kWorthIt)) kept.push_back(v);
  }
  return kept;
}

}  // namespace

std::vector<Variant> make_variants(const Laws& laws, const std::vector<NodeType>& nodes,
                                   std::size_t per_version) {
  SURETY_CHECK(per_version >= 1);
  const std::vector<Variant> prefixes = node_prefixes(nodes);
  SURETY_CHECK(!prefixes.empty());
  std::vector<Variant> result;
  for (std::size_t version = 0; version < laws.versions.size(); ++version) {
    const std::vector<Variant> kept = front(prefixes, laws.versions[version].time);
    const std::size_t count = std::min(per_version, kept.size());
    std::vector<Variant> chosen;
    for (std::size_t i = 0; i < count; ++i) {  // Evenly over the front, both ends included.
      chosen.push_back(kept[count == 1 ? 0 : i * (kept.size() - 1) / (count - 1)]);
      chosen.back().version = version;
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const Variant& a, const Variant& b) { return a.nodes < b.nodes; });
    result.insert(result.end(), chosen.begin(), chosen.end());
  }
  return result;
}

}  // namespace surety::plan
