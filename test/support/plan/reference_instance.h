// The two synthetic instances on which planners are compared, in tests and benchmarks. One has only
// the noise of learning; the other adds the choice between spot nodes and on-demand nodes.
//
// A metric of 2.30 falls as x(u) = f + (2.30 - f) (1 + u)^-0.75 over u passes, to the target 0.54.
// A pruned version makes the same progress per pass in less time and for less money, towards a
// higher floor f. Only `full` and `prune:0.5` ever reach the target.
//
// Noise is the relative standard deviation of a pass's progress. It grows with pruning and stays
// below 1, so steps back are rare (full) to occasional (prune:0.9). A normal distribution as wide
// as a lognormal one with log-spread 0.5 ... 1.7 would mostly step back.
//
// One second is a tick of the expanded graph; the deadline is 360.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "plan/types.h"

namespace surety::plan::reference {

struct Version {
  std::string name;
  double pruned = 0;
  double floor = 0;
  double noise = 0;
  double pass_s = 0;      // Value on on-demand nodes.
  double pass_price = 0;  // Value on on-demand nodes.
};

inline const std::vector<Version>& versions() {
  static const std::vector<Version> kVersions{
      {"full", 0, 0.38, 0.35, 10, 10},
      {"prune:0.5", 0.5, 0.47, 0.5, 4, 3.6},
      {"prune:0.75", 0.75, 0.57, 0.65, 2, 1.6},
      {"prune:0.9", 0.9, 0.72, 0.8, 1, 0.7},
  };
  return kVersions;
}

// A switch raises the metric: by a few percent to a less pruned version, and by a third of the
// difference in pruning to a more pruned one. The spread is about as large as the jump.
inline SwitchLaw switch_law(const Version& from, const Version& to) {
  const double pruned = to.pruned - from.pruned;
  const double mean = pruned > 0 ? 0.02 + 0.35 * pruned : 0.03 - 0.04 * pruned;
  return {.log_mean = std::log1p(mean), .log_sd = mean, .seconds = 1, .measured = true};
}

// The first `count` versions, the full one first, without variants.
inline Setting base_setting(std::size_t count) {
  Setting setting;
  setting.target = setting.stop_metric = 0.54;
  setting.deadline_s = 360;
  const std::vector<Version> used(versions().begin(),
                                  versions().begin() + static_cast<std::ptrdiff_t>(count));
  for (const Version& version : used) {
    VersionLaw law;
    law.version = version.name;
    law.rank = setting.laws.versions.size();
    law.workers = 1;
    law.curve = {Shape::kPower, version.floor, 2.30 - version.floor, 0.75};
    law.rate = 1;
    law.noise = version.noise;
    law.metric_supported = version.floor;
    law.time.pass_s = version.pass_s;
    setting.laws.versions.push_back(law);
    auto& row = setting.laws.switches.emplace_back();
    for (const Version& to : used) row.push_back(switch_law(version, to));
  }
  return setting;
}

// An on-demand node at the version's own price.
inline Variant on_demand(std::size_t version) {
  const Version& it = versions()[version];
  Variant variant;
  variant.version = version;
  variant.counts = {{"on-demand", 1}};
  variant.nodes = 1;
  variant.speed = 1;
  variant.price_per_s = it.pass_price / it.pass_s;
  return variant;
}

// A spot node at 0.35 of the price. It is slower by about a quarter, with some spread, and is
// preempted about every 83 seconds, which costs ten.
inline Variant spot(std::size_t version) {
  Variant variant = on_demand(version);
  variant.counts = {{"spot", 1}};
  variant.speed = 0.8;
  variant.price_per_s *= 0.35;
  variant.preemptions_per_s = 0.012;
  variant.restart_s = 10;
  variant.straggle_sd = 0.15;
  return variant;
}

// Four versions on one kind of node: only the metric matters.
inline Setting one_cluster() {
  Setting setting = base_setting(4);
  for (std::size_t v = 0; v < 4; ++v) setting.variants.push_back(on_demand(v));
  return setting;
}

// Three versions on both kinds of nodes. Variant 2 v is version v on demand, variant 2 v + 1 on
// spot.
inline Setting spot_mix() {
  Setting setting = base_setting(3);
  for (std::size_t v = 0; v < 3; ++v) {
    setting.variants.push_back(on_demand(v));
    setting.variants.push_back(spot(v));
  }
  return setting;
}

// The version of each variant. Variants that differ only in their nodes share a version.
inline std::vector<std::size_t> version_of_variants(const Setting& setting) {
  std::vector<std::size_t> versions;
  for (const Variant& variant : setting.variants) versions.push_back(variant.version);
  return versions;
}

}  // namespace surety::plan::reference
