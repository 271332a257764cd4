#include "plan/text_page.h"

#include <algorithm>

#include "base/check.h"

namespace surety::plan {
namespace {

// Characters of UTF-8 text: good for aligning what is not wide or combined.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string room(columns - std::min(columns, width(text)), ' ');
  return right ? room + text : text + room;
}

}  // namespace

void TextPage::line(const std::string& text) {
  text_ += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
}

void TextPage::blank() { text_ += '\n'; }

void TextPage::item(std::string_view label, std::string_view words) {
  if (label.empty() && words.empty()) return;
  std::string now = padded(std::string(label), kGutter, false);
  if (width(label) >= kGutter) now += ' ';
  bool first = true;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(words.size(), end + 1));
    if (!first && width(now) + 1 + width(word) > kColumns) {
      line(now);
      now = std::string(kGutter, ' ');
      first = true;
    }
    if (!first) now += ' ';
    now += word;
    first = false;
  }
  line(now);
}

void TextPage::table(const std::vector<Column>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(width(column.heading));
  for (const auto& row : rows) {
    SURETY_CHECK(row.size() == columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  const auto add = [&](const auto& cell_of) {
    std::string out(kGutter, ' ');
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out += (i == 0 ? "" : "  ") + padded(cell_of(i), widths[i], columns[i].right);
    }
    line(out);
  };
  add([&](std::size_t i) -> const std::string& { return columns[i].heading; });
  for (const auto& row : rows) add([&](std::size_t i) -> const std::string& { return row[i]; });
}

}  // namespace surety::plan
