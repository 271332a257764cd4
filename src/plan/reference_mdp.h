// A setting as a decision process, for tests of planners that take one.
#pragma once

#include <cmath>
#include <vector>

#include "plan/cmdp.h"
#include "plan/grid.h"
#include "plan/kernel.h"
#include "plan/statistics.h"
#include "plan/types.h"

namespace surety::plan::reference {

struct Graph {
  std::vector<double> grid;
  Mdp mdp;
  std::vector<MdpStart> starts;
};

// Chances of each number of one-second ticks: lognormal straggling in equal cells, Poisson
// preemptions.
inline std::vector<double> tick_durations(const Setting& setting, std::size_t v,
                                          std::uint32_t ticks_max) {
  static constexpr int kCells = 60, kPreemptionsMax = 8;
  const Variant& variant = setting.variants[v];
  const double median_s = setting.law_of(v).time.median_s(variant.speed);
  std::vector<double> pmf(ticks_max + 1, 0.0);
  for (int cell = 0; cell < kCells; ++cell) {
    const double z = normal_quantile((cell + 0.5) / kCells);
    const double pass_s = median_s * std::exp(variant.straggle_sd * z);
    double chance = std::exp(-variant.preemptions_per_s * pass_s) / kCells;
    for (int k = 0; k < kPreemptionsMax; ++k) {
      const double ticks = std::max(1.0, std::round(pass_s + k * variant.restart_s));
      if (ticks <= ticks_max) pmf[static_cast<std::size_t>(ticks)] += chance;
      chance *= variant.preemptions_per_s * pass_s / (k + 1);
    }
  }
  while (pmf.back() == 0) pmf.pop_back();
  return pmf;
}

// Less pruned, or the same version on other nodes.
inline bool may_switch(const Setting& setting, std::size_t from, std::size_t to) {
  return to != from && setting.rank_of(to) <= setting.rank_of(from);
}

inline Graph make_graph(const Setting& setting, std::size_t levels,
                        Rounding rounding = Rounding::kLinear) {
  Graph graph;
  graph.grid = make_grid(setting, levels);
  graph.mdp.ticks = static_cast<std::uint32_t>(setting.deadline_s);
  graph.mdp.success.assign(levels, 0.0);
  graph.mdp.success[0] = 1;
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    const std::size_t version = setting.variants[v].version;
    MdpVariant variant;
    variant.pass = pass_kernel(graph.grid, setting, version, 1, 1, rounding);
    variant.duration = tick_durations(setting, v, graph.mdp.ticks);
    double mean_s = 0;
    for (std::size_t d = 0; d < variant.duration.size(); ++d) {
      mean_s += variant.duration[d] * static_cast<double>(d);
    }
    variant.cost = mean_s * setting.variants[v].price_per_s;
    graph.mdp.variants.push_back(std::move(variant));
    graph.mdp.switches.emplace_back();
    for (std::size_t to = 0; to < setting.variants.size(); ++to) {
      if (!may_switch(setting, v, to)) continue;
      const SwitchLaw& law = setting.laws.switches[setting.rank_of(v)][setting.rank_of(to)];
      MdpSwitch change{.to = to, .ticks = 0, .cost = 0, .jump = {}};
      if (setting.rank_of(v) != setting.rank_of(to)) {
        change.ticks = static_cast<std::uint32_t>(std::ceil(law.seconds));
        change.cost = law.seconds * setting.variants[to].price_per_s;
        change.jump =
            switch_kernel(graph.grid, setting, version, setting.variants[to].version, rounding);
      }
      graph.mdp.switches.back().push_back(std::move(change));
    }
    graph.starts.push_back({v, 0, start_pmf(graph.grid, setting, version, rounding)});
  }
  return graph;
}

}  // namespace surety::plan::reference
