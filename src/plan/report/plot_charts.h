// The charts of a plan as inline SVG. Each has a wide and a narrow drawing, of which the style
// sheet shows one. Empty if a plan has nothing to draw.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace surety::plan {

// The expected metric over time, with the target and, if it is near, the deadline.
[[nodiscard]] std::string bands_chart(const Claims& claims, const Promise& promise);
[[nodiscard]] bool deadline_in_picture(const Claims& claims, const Promise& promise);

// Mean cost against probability: the price of dependability, this plan, and the runners-up, marked
// by the letters of letter_of().
[[nodiscard]] std::string frontier_chart(const Claims& claims, const Promise& promise);
[[nodiscard]] std::string letter_of(std::size_t runner_up);  // "A" to "Z", then "A2", ...

// One layer of the schedule: a block, or all further blocks together.
struct Layer {
  std::string name;            // Examples are "full on 4 spot" and "5 others".
  std::string letter;          // The letter in the chart.
  std::vector<double> shares;  // Share of the runs, at each point of the bands.
};
// One layer for each block that is used, at most kLayersMax; none without claims.
inline constexpr std::size_t kLayersMax = 6;
[[nodiscard]] std::vector<Layer> layers_of(const Plan& plan);
// The share of the runs that trains on each block, over time.
[[nodiscard]] std::string schedule_chart(const Plan& plan);

}  // namespace surety::plan
