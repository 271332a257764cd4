// Small decision processes for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "plan/decision/cmdp.h"

namespace surety::plan::testing {

inline std::vector<double> random_chances(std::size_t count, Random& random) {
  std::vector<double> chances;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += chances.emplace_back(0.05 + random.uniform());
  for (double& chance : chances) chance /= sum;
  return chances;
}

// Rows that go down by at most `down` levels; level 0 stays.
inline Kernel random_kernel(std::size_t levels, std::size_t down, Random& random) {
  Kernel kernel;
  kernel.add_row(0, {1});
  for (std::size_t level = 1; level < levels; ++level) {
    const std::size_t first = level > down ? level - down : 0;
    kernel.add_row(static_cast<std::uint32_t>(first), random_chances(level - first + 1, random));
  }
  return kernel;
}

// Two variants. The first is expensive and takes 1 or 2 ticks; the second is cheap and takes 1 to
// 3. A switch takes at most one tick, has a cost, and raises the level.
inline Mdp random_mdp(std::uint32_t ticks, std::size_t levels, std::uint64_t seed) {
  Random random(seed);
  Mdp mdp;
  mdp.ticks = ticks;
  mdp.success.assign(levels, 0.0);
  mdp.success[0] = 1;
  mdp.success[1] = 0.5;
  for (const std::size_t longest : {2, 3}) {
    MdpVariant variant;
    variant.pass = random_kernel(levels, 2, random);
    variant.duration = random_chances(longest, random);
    variant.duration.insert(variant.duration.begin(), 0.0);
    variant.cost = (longest == 2 ? 3 : 1) * (0.5 + random.uniform());
    mdp.variants.push_back(std::move(variant));
  }
  Kernel jump;
  for (std::size_t level = 0; level < levels; ++level) {
    jump.add_row(static_cast<std::uint32_t>(level),
                 level + 1 < levels ? std::vector<double>{0.6, 0.4} : std::vector<double>{1});
  }
  mdp.jumps.push_back(jump);
  mdp.switches = {{{1, 1, 0.3, {}}}, {{0, static_cast<std::uint32_t>(random.below(2)), 0.2, {0}}}};
  return mdp;
}

// Untrained models, at the highest level.
inline std::vector<MdpStart> top_starts(const Mdp& mdp) {
  std::vector<double> levels(mdp.levels(), 0.0);
  levels.back() = 1;
  std::vector<MdpStart> starts;
  for (std::size_t v = 0; v < mdp.variants.size(); ++v) starts.push_back({v, 0, levels});
  return starts;
}

}  // namespace surety::plan::testing
