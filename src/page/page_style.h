// The style sheet of all pages that Surety writes: for light and dark screens, and for paper.
#pragma once

#include <string_view>

namespace surety::page {

[[nodiscard]] std::string_view page_style();

}  // namespace surety::page
