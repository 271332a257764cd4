// Profiles drawn from known laws. Tests check whether the planner finds these laws.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/promise.h"
#include "plan/types.h"

namespace surety::plan::synthetic {

struct VersionSpec {
  std::string name;
  double floor = 0.4;
  double start = 2.3;
  double exponent = 0.75;
  double rate = 1;
  double pass_s = 10;  // Duration on `workers` nodes.
  double noise = 0;
};

struct Spec {
  std::vector<VersionSpec> versions;
  Shape shape = Shape::kPower;
  std::uint32_t seeds = 3;
  std::uint32_t passes = 8;
  std::uint32_t workers = 4;
  double run_effect = 0;
  double time_sd = 0;
  double metric_se = 0;
  double jitter = 0;    // Standard deviation of the metric in each evaluation.
  double jump = 1;      // Factor of every switch to a version further left.
  double switch_s = 0;  // Duration of every such switch.
  double data_fraction = 1;
};

inline Laws true_laws(const Spec& spec) {
  Laws laws;
  laws.run_effect = spec.run_effect;
  for (const VersionSpec& version : spec.versions) {
    VersionLaw law;
    law.version = version.name;
    law.curve = {spec.shape, version.floor, version.start - version.floor, version.exponent};
    law.rate = version.rate;
    law.noise = version.noise;
    law.jitter = spec.jitter;
    law.time = {version.pass_s, static_cast<double>(spec.workers), 0, spec.time_sd};
    law.rank = laws.versions.size();
    law.workers = spec.workers;
    laws.versions.push_back(law);
  }
  const SwitchLaw jump{std::log(spec.jump), 0, spec.switch_s, true};
  laws.switches.assign(spec.versions.size(), std::vector<SwitchLaw>(spec.versions.size(), jump));
  return laws;
}

inline Profile draw_profile(const Spec& spec, std::uint64_t random_seed) {
  const Laws laws = true_laws(spec);
  Profile profile;
  for (std::uint32_t seed = 0; seed < spec.seeds; ++seed) {
    const CounterNormal of_run(random_seed, seed);
    const double effect = std::exp(spec.run_effect * of_run.at(0, 0));
    for (std::size_t v = 0; v < laws.versions.size(); ++v) {
      const VersionLaw& law = laws.versions[v];
      const CounterNormal normal(random_seed, 1000 + 100 * seed + v);
      double progress = 0;
      for (std::uint32_t pass = 0; pass <= spec.passes; ++pass) {
        if (pass > 0) progress += law.rate * effect * (1 + law.noise * normal.at(pass, 0));
        const double seconds =
            spec.versions[v].pass_s * std::exp(spec.time_sd * normal.at(pass, 1));
        profile.curves.push_back({law.version, seed, spec.data_fraction, pass,
                                  law.curve.at(progress) + spec.jitter * normal.at(pass, 2),
                                  spec.metric_se, pass == 0 ? 0 : seconds, 0, spec.workers});
      }
      for (std::size_t to = 0; to < v; ++to) {
        profile.switches.push_back({law.version, spec.versions[to].name, seed, spec.passes, 1.0,
                                    spec.jump, spec.switch_s});
      }
    }
  }
  return profile;
}

// One kind of node at 0.01 a second each, as many as were profiled.
inline Instance make_instance(const Spec& spec, double target, double deadline_s) {
  Instance instance;
  instance.promise.target = target;
  instance.promise.deadline_s = deadline_s;
  for (const VersionSpec& version : spec.versions) instance.versions.push_back(version.name);
  instance.nodes = {{"local", spec.workers, 0.01, 1}};
  return instance;
}

// The full network and two pruned ones, which have cheaper passes and higher floors.
inline Spec three_versions() {
  Spec spec;
  spec.versions = {{.name = "full", .floor = 0.38, .pass_s = 10},
                   {.name = "prune:0.5", .floor = 0.47, .pass_s = 4},
                   {.name = "prune:0.75", .floor = 0.57, .pass_s = 2}};
  spec.jump = 1.03;
  spec.passes = 24;
  return spec;
}

// Options that are small enough for a sanitizer build.
inline PlanOptions small_options() {
  return {.planner = Planner::kOpenLoop, .simulated_runs = 400, .levels = 60};
}
inline PlanOptions small_closed_options() {
  return {.planner = Planner::kClosedLoop,
          .simulated_runs = 400,
          .levels = 50,
          .ticks = 80,
          .classes = 3,
          .worlds = 20};
}

}  // namespace surety::plan::synthetic
