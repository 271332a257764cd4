// The decision process (cmdp.h) that stands for a setting: levels for the metric, ticks for the
// time, one process for each class of the run effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/process/cmdp.h"
#include "plan/types.h"

namespace surety::plan {

// Half the levels give a policy within 0.1 % of the cost of the best; twice the levels are four
// times the work (docs/theory.md, section 7.2).
struct MdpOptions {
  std::uint32_t levels = 100;
  std::uint32_t ticks = 240;  // To the deadline, less what certifying takes.
};

// Ascending metrics. The target is one of them. Where evaluations are noisy the lowest is so far
// below it that certification hardly fails there, else the target is the lowest. Above the target
// they lie at base + (target - base) * ratio^i, base just below the lowest floor, so that they are
// close where a pass changes little; the highest is above the highest start.
// REQUIRES: levels >= 10.
[[nodiscard]] std::vector<double> metric_levels(const Setting& setting, std::size_t levels);

// Chance that a checkpoint of this metric is certified: its metric on another split is off by
// sqrt(2) standard errors of an evaluation.
[[nodiscard]] double certified_chance(const Setting& setting, double metric);

[[nodiscard]] double tick_seconds(const Setting& setting, const MdpOptions& options);

// To which variants a running job may go over from `variant`: other nodes for the same version, and
// the next three versions that are pruned less.
[[nodiscard]] std::vector<std::size_t> allowed_switches(const Setting& setting,
                                                        std::size_t variant);
// What going over takes: changing the version, and getting other nodes.
[[nodiscard]] double switch_seconds(const Setting& setting, std::size_t from, std::size_t to);

// A class of runs: what of a run does not change from pass to pass.
struct RunClass {
  double effect = 0;  // A: all its passes go e^A times as far as the law's.
  double luck = 1;    // It never learns with versions whose stuck_share is above.
  double probability = 1;

  [[nodiscard]] bool is_stuck(const VersionLaw& law) const { return luck < law.stuck_share; }
};

// O(variants * levels * 15) evaluations of curves.
[[nodiscard]] Mdp make_mdp(const Setting& setting, const std::vector<double>& levels,
                           const MdpOptions& options, const RunClass& run);

// The untrained model of each variant, with the data's price.
[[nodiscard]] std::vector<MdpStart> make_starts(const Setting& setting,
                                                const std::vector<double>& levels);

// The classes of a setting's runs: `effects` values of the run effect, evenly spaced and with its
// variance (one where there is none), each for every luck that makes a difference, which is one
// where no version gets stuck. By luck, then by effect, ascending.
// REQUIRES: effects >= 1. ENSURES: at most effects * kLucksMax.
inline constexpr std::size_t kLucksMax = 3;
[[nodiscard]] std::vector<RunClass> run_classes(const Laws& laws, std::uint32_t effects);

}  // namespace surety::plan
