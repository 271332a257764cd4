// A decision in words, for the terminal.
#pragma once

#include <string>

#include "plan/plan.h"

namespace surety::plan {

// Some dozens of lines, at most 100 columns unless names are long, ending in a line break: the
// plan, what it costs, how likely it is and what supports that, where the metric should be, the
// runners-up, the assumptions that did not hold; or why there is no plan and the nearest promises.
// Accuracies are shown as accuracies.
[[nodiscard]] std::string explain(const Decision& decision, const Promise& promise);

}  // namespace surety::plan
