// The decision process (cmdp.h) of a setting: levels for the metric, ticks for the time, and one
// process for each class of the run effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/decision/cmdp.h"
#include "plan/types.h"

namespace surety::plan {

// Half the levels give a policy within 0.1 % of the best cost. Twice the levels take four times the
// work (docs/theory.md, section 7.2).
struct MdpOptions {
  std::uint32_t levels = 100;
  std::uint32_t ticks = 240;  // Ticks to the deadline, without the time for certifying.
};

// Metrics in ascending order; the target is one of them. If evaluations are noisy, the lowest level
// is so far below the target that certification almost never fails there; otherwise the target is
// the lowest. Above the target they lie at base + (target - base) * ratio^i, with the base just
// below the lowest floor. So they are close where a pass changes little; the highest is above the
// highest start.
// REQUIRES: levels >= 10.
[[nodiscard]] std::vector<double> metric_levels(const Setting& setting, std::size_t levels);

// Chance that a checkpoint with this metric is certified. Its metric on another split differs by
// sqrt(2) standard errors of an evaluation.
[[nodiscard]] double certified_chance(const Setting& setting, double metric);

[[nodiscard]] double tick_seconds(const Setting& setting, const MdpOptions& options);

// The variants to which a running job may change from `variant`: the same version on other nodes,
// and the next three versions that are pruned less.
[[nodiscard]] std::vector<std::size_t> allowed_switches(const Setting& setting,
                                                        std::size_t variant);
// Duration of a change: of the version, and of the nodes.
[[nodiscard]] double switch_seconds(const Setting& setting, std::size_t from, std::size_t to);

// A class of runs: the properties of a run that are the same in all its passes.
struct RunClass {
  double effect = 0;  // A: all its passes go e^A times as far as the law's.
  // The run never learns with a version whose stuck_share is above this.
  double stuck_quantile = 1;
  double probability = 1;

  [[nodiscard]] bool is_stuck(const VersionLaw& law) const {
    return stuck_quantile < law.stuck_share;
  }
};

// O(variants * levels * 15) evaluations of curves.
[[nodiscard]] Mdp make_mdp(const Setting& setting, const std::vector<double>& levels,
                           const MdpOptions& options, const RunClass& run);

// The untrained model of each variant, with the price of the data.
[[nodiscard]] std::vector<MdpStart> make_starts(const Setting& setting,
                                                const std::vector<double>& levels);

// The classes of a setting's runs. There are `effects` values of the run effect, evenly spaced and
// with its variance (a single one if there is no run effect). Each is combined with every stuck
// quantile that makes a difference; there is only one if no version gets stuck. Sorted by stuck
// quantile, then by effect. REQUIRES: effects >= 1. ENSURES: at most effects * kStuckQuantilesMax
// classes.
inline constexpr std::size_t kStuckQuantilesMax = 3;
[[nodiscard]] std::vector<RunClass> run_classes(const Laws& laws, std::uint32_t effects);

}  // namespace surety::plan
