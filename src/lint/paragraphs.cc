#include "lint/paragraphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

constexpr const char* kParagraphs = "paragraphs";
constexpr std::size_t kWordsMost = 80;
constexpr std::string_view kFenceMark = "```";  // Begins and ends a block of code.
constexpr std::string_view kCodeIndent = "    ";

enum class LineKind : std::uint8_t {
  kText,   // Continues a paragraph, or begins one after another kind of line.
  kItem,   // Begins an item of a list.
  kFence,  // Begins or ends a block of code.
  kOther,  // A blank line, a heading or a row of a table.
};

bool is_item(std::string_view text) {
  if (text.starts_with("- ") || text.starts_with("* ")) return true;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && text.substr(digits).starts_with(". ");
}

LineKind kind_of(std::string_view line) {
  const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (text.starts_with(kFenceMark)) return LineKind::kFence;
  if (text.empty() || text.starts_with('#') || text.starts_with('|')) return LineKind::kOther;
  return is_item(text) ? LineKind::kItem : LineKind::kText;
}

// Counts the words of one paragraph after the other.
class WordCount {
 public:
  WordCount(const SourceFile& file, std::vector<Finding>& findings)
      : file_(file), findings_(findings) {}

  [[nodiscard]] bool is_in_paragraph() const { return words_ > 0; }

  // Adds the line with this index to the current paragraph, or begins one with it.
  void add(std::size_t line) {
    if (words_ == 0) first_ = line + 1;
    words_ += words_of(file_.lines[line]).size();
  }

  void end_paragraph() {
    if (words_ > kWordsMost) {
      findings_.push_back({file_.path, first_, kParagraphs,
                           fmt::format("a paragraph of {} words, at most {}; split it, so that "
                                       "each part is about one thing",
                                       words_, kWordsMost)});
    }
    words_ = 0;
  }

 private:
  const SourceFile& file_;
  std::vector<Finding>& findings_;
  std::size_t words_ = 0;
  std::size_t first_ = 0;  // The paragraph's first line, counted from 1.
};

void check_file(const SourceFile& file, std::vector<Finding>& findings) {
  WordCount count(file, findings);
  bool is_in_code = false;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const LineKind kind = kind_of(file.lines[i]);
    if (kind == LineKind::kFence) is_in_code = !is_in_code;
    if (kind != LineKind::kText || is_in_code) count.end_paragraph();
    const bool is_text = kind == LineKind::kText || kind == LineKind::kItem;
    // Only outside of a paragraph do these spaces make a line code.
    const bool is_code =
        is_in_code || (!count.is_in_paragraph() && file.lines[i].starts_with(kCodeIndent));
    if (is_text && !is_code) count.add(i);
  }
  count.end_paragraph();
}

}  // namespace

std::vector<Finding> check_paragraphs(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (file.path.ends_with(".md")) check_file(file, findings);
  }
  return findings;
}

}  // namespace surety::lint
