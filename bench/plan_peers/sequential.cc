#include "bench/plan_peers/sequential.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/check.h"
#include "bench/plan_peers/block_search.h"

namespace surety::bench {
namespace {

using namespace plan;

double mean_ticks(const MdpVariant& variant) {
  double sum = 0;
  for (std::size_t d = 0; d < variant.duration.size(); ++d) {
    sum += variant.duration[d] * static_cast<double>(d);
  }
  return sum;
}

std::map<std::size_t, std::vector<std::size_t>> by_version(
    const std::vector<std::size_t>& version_of) {
  std::map<std::size_t, std::vector<std::size_t>> variants;
  for (std::size_t v = 0; v < version_of.size(); ++v) variants[version_of[v]].push_back(v);
  return variants;
}

}  // namespace

std::vector<std::size_t> sequential_variants(const Mdp& mdp, const std::vector<MdpStart>& starts,
                                             const std::vector<std::size_t>& version_of,
                                             double omega) {
  SURETY_CHECK(version_of.size() == mdp.variants.size());
  const RunOut out = run_out(mdp, 0);
  // A smaller rank is better. Failure rates that differ by a billionth are equal.
  const auto rank_of = [&](std::size_t v) {
    static constexpr double kSame = 1e-9;
    const std::optional<BlindPlan> alone = evaluate_early_stop(mdp, out, starts, {{v, 1}});
    SURETY_CHECK(alone.has_value());
    const bool keeps = alone->probability >= omega;
    const double first = keeps ? alone->cost : -std::round(alone->probability / kSame);
    return std::tuple(!keeps, first, mean_ticks(mdp.variants[v]), v);
  };
  std::vector<std::size_t> chosen;
  for (const auto& [version, variants] : by_version(version_of)) {
    chosen.push_back(*std::ranges::min_element(variants, {}, rank_of));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::vector<std::size_t>> all_fixed_variants(
    const std::vector<std::size_t>& version_of) {
  std::vector<std::vector<std::size_t>> all{{}};
  for (const auto& [version, variants] : by_version(version_of)) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& head : all) {
      for (const std::size_t v : variants) {
        longer.push_back(head);
        longer.back().push_back(v);
      }
    }
    all = std::move(longer);
  }
  for (auto& one : all) std::sort(one.begin(), one.end());
  return all;
}

Restricted restricted_to(const Mdp& mdp, const std::vector<MdpStart>& starts,
                         const std::vector<std::size_t>& variants) {
  SURETY_CHECK(std::is_sorted(variants.begin(), variants.end()));
  Restricted result;
  result.mdp.ticks = mdp.ticks;
  result.mdp.success = mdp.success;
  result.mdp.jumps = mdp.jumps;
  const auto index_of = [&](std::size_t v) {
    return static_cast<std::size_t>(std::lower_bound(variants.begin(), variants.end(), v) -
                                    variants.begin());
  };
  for (const std::size_t v : variants) {
    SURETY_CHECK(v < mdp.variants.size());
    result.mdp.variants.push_back(mdp.variants[v]);
    auto& switches = result.mdp.switches.emplace_back();
    for (MdpSwitch change : mdp.switches[v]) {
      if (!std::binary_search(variants.begin(), variants.end(), change.to)) continue;
      change.to = index_of(change.to);
      switches.push_back(change);
    }
  }
  for (MdpStart start : starts) {
    if (!std::binary_search(variants.begin(), variants.end(), start.variant)) continue;
    start.variant = index_of(start.variant);
    result.starts.push_back(std::move(start));
  }
  return result;
}

}  // namespace surety::bench
