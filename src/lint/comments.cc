#include "lint/comments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

constexpr const char* kComments = "comments";

// Words that need a noun before them.
constexpr std::array<std::string_view, 5> kDependent{"Of", "That", "As", "Whose", "Whom"};
// They say the unit of what they stand beside, which is enough.
constexpr std::array<std::string_view, 9> kUnits{"Ascending.",  "Batches.", "Bytes.",
                                                 "Characters.", "Lines.",   "Passes.",
                                                 "Pixels.",     "Samples.", "Seconds."};
constexpr std::size_t kWordsLeast = 3;
// With one word after them they are a sentence.
constexpr std::array<std::string_view, 5> kVerbs{"Calls", "ENSURES:", "Guards", "REQUIRES:", "See"};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(' ') == std::string_view::npos;
}

struct Comment {
  bool is_there = false;
  std::string_view text;  // The text after the slashes.
  bool is_alone = false;  // No code is on its line.
};

// Code that is left blank by the reduction is a comment, a literal or a directive; only the first
// of these begins with two slashes and reaches to the end of its line.
Comment comment_of(const SourceFile& file, std::size_t line) {
  const std::string_view text = file.lines[line];
  const std::string_view code = file.code[line];
  for (std::size_t at = text.find("//"); at != text.npos; at = text.find("//", at + 1)) {
    if (text.starts_with('#') || !is_blank(code.substr(std::min(at, code.size())))) continue;
    const bool is_alone = is_blank(text.substr(0, at));
    // An address inside a literal that has not ended on this line.
    if (!is_alone && text[at - 1] != ' ') continue;
    return {true, text.substr(at + 2), is_alone};
  }
  return {};
}

// What is wrong with the first line of a comment, the whole of it where it has no other; empty
// where nothing is.
std::string fault_of(std::string_view text, bool is_whole) {
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return "";
  if (std::ranges::find(kDependent, words[0]) != kDependent.end()) {
    return fmt::format("a comment begins with \"{}\"; write a sentence with a subject, or a noun",
                       words[0]);
  }
  const bool is_sentence = words.back().ends_with('.');
  const bool may_be_short = std::ranges::find(kUnits, words[0]) != kUnits.end() ||
                            std::ranges::find(kVerbs, words[0]) != kVerbs.end() ||
                            words[0].starts_with("O(");
  if (is_whole && is_sentence && words.size() < kWordsLeast && !may_be_short) {
    return fmt::format(
        "a comment is \"{}\"; describe the thing in three words or more, or remove the comment",
        text);
  }
  return "";
}

}  // namespace

std::vector<Finding> check_comments(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp()) continue;
    Comment before;
    Comment comment = file.lines.empty() ? Comment{} : comment_of(file, 0);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const Comment after = i + 1 < file.lines.size() ? comment_of(file, i + 1) : Comment{};
      const bool continues = comment.is_alone && before.is_there;
      const bool is_whole = !(after.is_there && after.is_alone);
      if (comment.is_there && !continues) {
        const std::string fault = fault_of(comment.text, is_whole);
        if (!fault.empty()) findings.push_back({file.path, i + 1, kComments, fault});
      }
      before = comment;
      comment = after;
    }
  }
  return findings;
}

}  // namespace surety::lint
