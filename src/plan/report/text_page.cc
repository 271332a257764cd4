#include "plan/report/text_page.h"

#include <algorithm>

#include "base/check.h"

namespace surety::plan {
namespace {

// Least number of columns for words, after any text before them.
constexpr std::size_t kWordsMin = 20;

// Number of characters in UTF-8 text. It is correct for alignment unless characters are wide or
// combined.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string room(columns - std::min(columns, width(text)), ' ');
  return right ? room + text : text + room;
}

// Lines of at most `columns`, broken at spaces; at least one line. Longer words are not broken.
std::vector<std::string> wrapped(std::string_view words, std::size_t columns) {
  std::vector<std::string> lines(1);
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(words.size(), end + 1));
    if (!lines.back().empty() && width(lines.back()) + 1 + width(word) > columns) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

}  // namespace

void TextPage::line(const std::string& text) {
  text_ += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
}

void TextPage::blank() { text_ += '\n'; }

void TextPage::item(std::string_view label, std::string_view words) {
  if (label.empty() && words.empty()) return;
  std::string start = padded(std::string(label), kGutter, false);
  if (width(label) >= kGutter) start += ' ';
  for (const std::string& text : wrapped(words, kColumns - kGutter)) {
    line(start + text);
    start.assign(kGutter, ' ');
  }
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
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
      out += padded(cell_of(i), widths[i], columns[i].right) + "  ";
    }
    const std::string& last = cell_of(columns.size() - 1);
    if (columns.back().right) return line(out + padded(last, widths.back(), true));
    const std::size_t room = kColumns - std::min(kColumns - kWordsMin, width(out));
    for (const std::string& text : wrapped(last, room)) {
      line(out + text);
      out.assign(width(out), ' ');
    }
  };
  add([&](std::size_t i) -> const std::string& { return columns[i].heading; });
  for (const auto& row : rows) add([&](std::size_t i) -> const std::string& { return row[i]; });
}

}  // namespace surety::plan
