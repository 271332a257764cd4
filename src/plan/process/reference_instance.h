// The two synthetic instances that planners are compared on, in tests and benchmarks: the noise of
// learning alone, and the choice between nodes that may be taken away and nodes that may not.
//
// A metric of 2.30 falls as x(u) = f + (2.30 - f) (1 + u)^-0.75 over u passes, to the target 0.54.
// A pruned version learns as fast per pass, at a fraction of the time and of the price, towards a
// higher floor f; only `full` and `prune:0.5` ever reach the target.
//
// Noise: the relative standard deviation of a pass's progress. It grows with pruning, and stays
// below 1, so that steps back are rare (full) to occasional (prune:0.9): a normal distribution
// as wide as a lognormal one of log-spread 0.5 ... 1.7 would mostly step back.
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
  double floor = 0, noise = 0;
  double pass_s = 0, pass_price = 0;  // On nodes that are not taken away.
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

// The metric jumps up in a switch, by a few percent to less pruned and by a third of the difference
// to more pruned; the spread is about as large as the jump.
inline SwitchLaw switch_law(const Version& from, const Version& to) {
  const double pruned = to.pruned - from.pruned;
  const double mean = pruned > 0 ? 0.02 + 0.35 * pruned : 0.03 - 0.04 * pruned;
  return {.log_mean = std::log1p(mean), .log_sd = mean, .seconds = 1, .measured = true};
}

// `count` versions, the full one first, without variants.
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

// Not taken away, at the version's own price.
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

// At 0.35 of the price, a quarter slower give or take some, and taken away every 83 seconds or so,
// which costs ten.
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

// Four versions, one kind of nodes: everything is about the metric.
inline Setting one_cluster() {
  Setting setting = base_setting(4);
  for (std::size_t v = 0; v < 4; ++v) setting.variants.push_back(on_demand(v));
  return setting;
}

// Three versions on both kinds of nodes; variant 2 v is version v on demand, 2 v + 1 on spot.
inline Setting spot_mix() {
  Setting setting = base_setting(3);
  for (std::size_t v = 0; v < 3; ++v) {
    setting.variants.push_back(on_demand(v));
    setting.variants.push_back(spot(v));
  }
  return setting;
}

// The version of each variant: variants that differ by their nodes alone share one.
inline std::vector<std::size_t> version_of_variants(const Setting& setting) {
  std::vector<std::size_t> versions;
  for (const Variant& variant : setting.variants) versions.push_back(variant.version);
  return versions;
}

}  // namespace surety::plan::reference
