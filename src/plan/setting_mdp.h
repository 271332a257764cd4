// The decision process (cmdp.h) that stands for a setting: levels for the metric, ticks for the
// time, one process for each class of the run effect.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/cmdp.h"
#include "plan/types.h"

namespace surety::plan {

// Half the levels for the same policy within 0.1 % of its cost; twice the levels, four times the
// work (measured in our notes, C.2).
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

// `rate_factor`: e^A of the class. O(variants * levels * 15) evaluations of curves.
[[nodiscard]] Mdp make_mdp(const Setting& setting, const std::vector<double>& levels,
                           const MdpOptions& options, double rate_factor);

// The untrained model of each variant, with the data's price.
[[nodiscard]] std::vector<MdpStart> make_starts(const Setting& setting,
                                                const std::vector<double>& levels);

// Equal cells of the run effect's distribution: its classes, with their probabilities.
struct EffectClass {
  double effect = 0;  // A.
  double probability = 1;
};
// One class where there is no run effect; else `classes` of them, evenly spaced, with the variance
// of the run effect. REQUIRES: classes >= 1.
[[nodiscard]] std::vector<EffectClass> effect_classes(double run_effect, std::uint32_t classes);

}  // namespace surety::plan
