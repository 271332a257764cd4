// Text for a terminal: labelled paragraphs that wrap, and tables whose columns are aligned.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surety::plan {

class TextPage {
 public:
  static constexpr std::size_t kColumns = 100;
  static constexpr std::size_t kGutter = 13;  // Labels stand in it; what they label, right of it.

  struct Column {
    std::string heading;
    bool right = true;  // Numbers; else words.
  };

  void blank();
  // "label        words, wrapped at kColumns and indented by kGutter"; words that are longer than a
  // line stay whole.
  void item(std::string_view label, std::string_view words);
  // Indented by kGutter; a last column of words wraps.
  // REQUIRES: a column; every row has as many cells as there are columns.
  void table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void line(const std::string& text);
  std::string text_;
};

}  // namespace surety::plan
