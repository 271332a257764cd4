// The pictures of a plan as inline SVG, each in a wide and a narrow drawing of which the style
// sheet shows one. Empty where a plan has nothing to draw.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace surety::plan {

// Where the metric should be over time, with the target and, if it is near, the deadline.
[[nodiscard]] std::string bands_chart(const Plan& plan, const Promise& promise);
[[nodiscard]] bool deadline_in_picture(const Plan& plan, const Promise& promise);

// Mean cost against probability: the price of dependability, this plan, and the runners-up by the
// letters that letter_of() gives them.
[[nodiscard]] std::string frontier_chart(const Plan& plan, const Promise& promise);
[[nodiscard]] std::string letter_of(std::size_t runner_up);  // "A" to "Z", then "A2", ...

// One layer of the schedule: a block, or the blocks beyond the first few together.
struct Layer {
  std::string name;            // "full on 4 spot", "5 others".
  std::string letter;          // In the picture.
  std::vector<double> shares;  // Of the runs, at each point of the bands.
};
// By block; at most kLayersMax.
inline constexpr std::size_t kLayersMax = 6;
[[nodiscard]] std::vector<Layer> layers_of(const Plan& plan);
// What share of the runs trains on what, over time.
[[nodiscard]] std::string schedule_chart(const Plan& plan);

}  // namespace surety::plan
