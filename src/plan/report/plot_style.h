// The style of a plan's page, in addition to the style that all pages share.
#pragma once

#include <string_view>

namespace surety::plan {

[[nodiscard]] std::string_view plot_style();
// An invisible SVG with the patterns hatch-2 to hatch-6, one for each layer of the schedule.
[[nodiscard]] std::string_view plot_hatches();

}  // namespace surety::plan
