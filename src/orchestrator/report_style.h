// The report's style sheet: light, dark and paper.
#pragma once

#include <string_view>

namespace surety::orchestrator {

[[nodiscard]] std::string_view report_style();

}  // namespace surety::orchestrator
