// The laws of a setting, implemented a second time from their definitions.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "plan/types.h"

namespace surety::plan::check {

// The metric after this progress, limited to what the profile supports.
[[nodiscard]] double metric_after(const plan::VersionLaw& law, double progress);
// The progress at which the curve has this metric, or the lowest metric after a switch.
[[nodiscard]] double progress_at(const plan::Curve& curve, double metric);

// One pass with its evaluation: log-normal work, the wait for the slowest node, preemptions.
[[nodiscard]] double draw_pass_s(const plan::VersionLaw& law, const plan::Variant& variant,
                                 Random& random);

// Seconds to change from one variant to another, and whether a job may do so: to other nodes, or to
// a version that is pruned less by at most three ranks.
[[nodiscard]] double switch_s(const plan::Setting& setting, std::size_t from, std::size_t to);
[[nodiscard]] bool may_switch(const plan::Setting& setting, std::size_t from, std::size_t to);
// The metric after a switch; `z` is a standard normal.
[[nodiscard]] double jump(const plan::Setting& setting, std::size_t from, std::size_t to,
                          double metric, double z);

// Chance that a checkpoint with this metric shows the target on data that was not used for
// decisions.
[[nodiscard]] double chance_certified(const plan::Setting& setting, double metric);

[[nodiscard]] double normal_cdf(double z);

// Equally likely standard normals: the middles of `count` cells.
[[nodiscard]] std::vector<double> normal_points(std::size_t count);

}  // namespace surety::plan::check
