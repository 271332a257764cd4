// What the page of a plan looks like, beside the style that our pages share.
#pragma once

#include <string_view>

namespace surety::plan {

[[nodiscard]] std::string_view plot_style();
// An invisible SVG with the patterns hatch-2 to hatch-6, one per layer of the schedule.
[[nodiscard]] std::string_view plot_hatches();

}  // namespace surety::plan
