// Tiny random decision processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "plan/decision/cmdp.h"

namespace surety::plan::testing {

struct TinySpec {
  std::size_t levels = 5;
  std::size_t variants = 3;
  std::uint32_t ticks = 8;
  bool random_durations = true;
  bool windows = false;
};

inline std::vector<double> random_pmf(std::size_t size, Random& random) {
  std::vector<double> pmf(size);
  for (double& chance : pmf) chance = random.uniform() < 0.3 ? 0 : random.uniform();
  pmf[random.below(size)] += 0.1;
  const double total = std::accumulate(pmf.begin(), pmf.end(), 0.0);
  for (double& chance : pmf) chance /= total;
  return pmf;
}

// Monotone rows: a worse level before gives a worse level after. They are random distribution
// functions, sorted at each level. `absorbing`: level 0 stays, and the share `drift` of the mass
// goes down from its level.
inline Kernel random_kernel(std::size_t levels, bool absorbing, double drift, Random& random) {
  std::vector<std::vector<double>> cdf(levels);
  for (std::size_t l = 0; l < levels; ++l) {
    cdf[l] = random_pmf(levels, random);
    for (double& chance : cdf[l]) chance *= 1 - drift;
    cdf[l][l > 0 ? l - 1 : 0] += drift;
    if (absorbing && l == 0) {
      cdf[l].assign(levels, 0);
      cdf[l][0] = 1;
    }
    std::partial_sum(cdf[l].begin(), cdf[l].end(), cdf[l].begin());
  }
  for (std::size_t i = 0; i < levels; ++i) {
    std::vector<double> column;
    for (const auto& row : cdf) column.push_back(row[i]);
    std::sort(column.rbegin(), column.rend());
    for (std::size_t l = 0; l < levels; ++l) cdf[l][i] = column[l];
  }
  Kernel kernel;
  for (auto& row : cdf) {
    std::adjacent_difference(row.begin(), row.end(), row.begin());
    kernel.add_row(0, row);
  }
  return kernel;
}

// Variant 0 is the best one to end with; each variant may switch to those before it.
inline Mdp tiny_mdp(const TinySpec& spec, std::uint64_t seed) {
  Random random(seed);
  Mdp mdp;
  mdp.ticks = spec.ticks;
  mdp.success.assign(spec.levels, 0.0);
  mdp.success[0] = 1;
  for (std::size_t v = 0; v < spec.variants; ++v) {
    MdpVariant variant;
    variant.pass = random_kernel(spec.levels, true, v == 0 ? 0.7 : 0.5, random);
    variant.duration = {0};
    const std::uint64_t longest = 1 + random.below(spec.random_durations ? 3 : 2);
    if (spec.random_durations) {
      const auto pmf = random_pmf(longest, random);
      variant.duration.insert(variant.duration.end(), pmf.begin(), pmf.end());
    } else {
      variant.duration.resize(longest);
      variant.duration.push_back(1);
    }
    variant.cost = 0.2 + random.uniform() + (v == 0 ? 1.0 : 0.0);
    if (spec.windows && v == 0) variant.first_tick = 2;
    if (spec.windows && v == 1) variant.last_tick = 5;
    mdp.variants.push_back(variant);
    mdp.switches.emplace_back();
    for (std::size_t to = 0; to < v; ++to) {
      mdp.switches.back().push_back({to, static_cast<std::uint32_t>(random.below(2)),
                                     0.3 * random.uniform(), mdp.jumps.size()});
      mdp.jumps.push_back(random_kernel(spec.levels, false, 0, random));
    }
  }
  return mdp;
}

// A process with certain steps and certain durations, in which level and tick are plain numbers.
inline Mdp sure_mdp(std::uint64_t seed) {
  constexpr std::size_t kLevels = 16;
  Random random(seed);
  const auto moves_by = [&](std::int64_t step) {
    Kernel kernel;
    for (std::int64_t l = 0; l < static_cast<std::int64_t>(kLevels); ++l) {
      const std::int64_t to = l == 0 ? 0 : std::clamp<std::int64_t>(l - step, 0, kLevels - 1);
      kernel.add_row(static_cast<std::uint32_t>(to), {1.0});
    }
    return kernel;
  };
  Mdp mdp;
  mdp.ticks = 12;
  mdp.success.assign(kLevels, 0.0);
  mdp.success[0] = 1;
  for (std::size_t v = 0; v < 3; ++v) {
    MdpVariant variant;
    variant.pass = moves_by(static_cast<std::int64_t>(1 + random.below(4)));
    variant.duration.assign(1 + random.below(3), 0.0);
    variant.duration.push_back(1);
    variant.cost = 0.5 + random.uniform();
    mdp.variants.push_back(std::move(variant));
    mdp.switches.emplace_back();
    for (std::size_t to = 0; to < v; ++to) {
      mdp.switches.back().push_back({to, static_cast<std::uint32_t>(random.below(2)),
                                     0.2 * random.uniform(), mdp.jumps.size()});
      mdp.jumps.push_back(moves_by(-static_cast<std::int64_t>(random.below(2))));
    }
  }
  return mdp;
}

// One start for each variant, at the highest level.
inline std::vector<MdpStart> tiny_starts(const Mdp& mdp) {
  std::vector<MdpStart> starts;
  for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
    starts.push_back({v, 0.1 * static_cast<double>(v), std::vector<double>(mdp.levels(), 0.0)});
    starts.back().levels.back() = 1;
  }
  return starts;
}

}  // namespace surety::plan::testing
