#include "page/html.h"

#include <fmt/format.h>

#include "page/svg.h"

namespace surety::page {

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

std::string section(std::string_view title, const std::string& body) {
  if (body.empty()) return {};
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escape(title), body);
}

std::string paragraph(std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"text\">{}</p>\n", escape(text));
}

}  // namespace surety::page
