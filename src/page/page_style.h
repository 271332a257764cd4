// The style sheet that our pages share: light, dark and paper.
#pragma once

#include <string_view>

namespace surety::page {

[[nodiscard]] std::string_view page_style();

}  // namespace surety::page
