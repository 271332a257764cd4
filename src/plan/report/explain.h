// A decision as text for the terminal.
#pragma once

#include <string>

#include "plan/plan.h"
#include "plan/promise.h"

namespace surety::plan {

// Some dozens of lines of at most 100 columns (more if names are long), with a line break at the
// end. For a plan: the plan, its cost, its probability with the evidence for it, the expected
// metric over time, the runners-up, and the assumptions that did not hold. Otherwise: the reason
// for which there is no plan, and the nearest promises. Accuracies are shown as accuracies.
[[nodiscard]] std::string explain(const Decision& decision, const Promise& promise,
                                  const Reserved& reserved = {});

}  // namespace surety::plan
