// Text for a terminal: labelled paragraphs with line breaks, and tables with aligned columns.
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
  // Width of the column for labels; the labelled text is to the right of it.
  static constexpr std::size_t kGutter = 13;

  struct Column {
    std::string heading;
    bool right = true;  // Alignment: right for numbers, left for words.
  };

  void blank();
  // Writes "label        words", broken at kColumns and indented by kGutter. A word that is longer
  // than a line is not broken.
  void item(std::string_view label, std::string_view words);
  // Writes a table indented by kGutter. A last column of words is broken into lines.
  // REQUIRES: at least one column; every row has as many cells as there are columns.
  void table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void line(const std::string& text);
  std::string text_;
};

}  // namespace surety::plan
