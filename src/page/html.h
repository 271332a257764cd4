// Parts of pages that several pages have.
#pragma once

#include <string>
#include <string_view>

namespace surety::page {

// The same words, beginning with a capital letter if they begin with one of a to z.
[[nodiscard]] std::string sentence(std::string text);

// A section with a heading. `title` is text, and `body` is HTML. Empty if `body` is empty.
[[nodiscard]] std::string section(std::string_view title, const std::string& body);

// A paragraph of text. Empty if the text is empty.
[[nodiscard]] std::string paragraph(std::string_view text);

}  // namespace surety::page
