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
constexpr const char* kHeaderNames = "header names";

// Words that need a noun before them.
constexpr std::array<std::string_view, 5> kDependent{"Of", "That", "As", "Whose", "Whom"};
// Words that are enough by themselves, because they state the unit of the value beside them.
constexpr std::array<std::string_view, 9> kUnits{"Ascending.",  "Batches.", "Bytes.",
                                                 "Characters.", "Lines.",   "Passes.",
                                                 "Pixels.",     "Samples.", "Seconds."};
constexpr std::size_t kWordsLeast = 3;
// Words that make a sentence with one word after them.
constexpr std::array<std::string_view, 5> kVerbs{"Calls", "ENSURES:", "Guards", "REQUIRES:", "See"};

// Words that begin a phrase. If the phrase is a whole comment, it has no subject and no verb.
constexpr std::array<std::string_view, 8> kPrepositions{"At", "By", "For",  "From",
                                                        "In", "On", "With", "Without"};
// Longer phrases are seldom whole comments, and sentences of this length nearly always contain one
// of the verbs below, or a comma after the phrase.
constexpr std::size_t kPhraseWordsMost = 6;
constexpr std::array<std::string_view, 14> kShortVerbs{"are", "can",  "could", "does", "has",
                                                       "is",  "have", "may",   "must", "need",
                                                       "was", "were", "will",  "would"};

constexpr std::string_view kHeaderEnding = ".h";
// Characters before a name that is only the end of a path or of a pattern, a header of a library,
// or an example.
constexpr std::string_view kNotAlone = "/.*-<\"";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(' ') == std::string_view::npos;
}

struct Comment {
  bool is_there = false;
  std::string_view text;  // The text after the slashes.
  bool is_alone = false;  // No code is on its line.
};

// Text that code_of() replaced by spaces is a comment, a literal or a directive. Only a comment
// begins with two slashes and reaches to the end of its line.
Comment comment_of(const SourceFile& file, std::size_t line) {
  const std::string_view text = file.lines[line];
  const std::string_view code = file.code[line];
  for (std::size_t at = text.find("//"); at != text.npos; at = text.find("//", at + 1)) {
    if (text.starts_with('#') || !is_blank(code.substr(std::min(at, code.size())))) continue;
    const bool is_alone = is_blank(text.substr(0, at));
    // The two slashes are part of an address in a literal that continues on the next line.
    if (!is_alone && text[at - 1] != ' ') continue;
    return {true, text.substr(at + 2), is_alone};
  }
  return {};
}

// Whether these words, which end like a sentence, are only a phrase ("For the standard error.").
bool is_phrase(const std::vector<std::string>& words) {
  const auto shows_a_sentence = [](const std::string& word) {
    return std::ranges::find(kShortVerbs, word) != kShortVerbs.end() ||
           std::string_view(",:;").find(word.back()) != std::string_view::npos;
  };
  return words.size() <= kPhraseWordsMost &&
         std::ranges::find(kPrepositions, words[0]) != kPrepositions.end() &&
         std::ranges::none_of(words, shows_a_sentence);
}

// The fault in the first line of a comment, which is the whole comment if `is_whole`; empty if
// there is no fault.
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
  if (is_whole && is_sentence && is_phrase(words)) {
    return fmt::format(
        "a comment is the phrase \"{}\"; write a sentence with a subject and a verb, and a comma "
        "after such a phrase",
        text.substr(text.find(words[0])));
  }
  return "";
}

// The names of headers in the text that have no folder before them, in order.
std::vector<std::string> bare_headers(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(kHeaderEnding); at != text.npos;
       at = text.find(kHeaderEnding, at + 1)) {
    const std::size_t end = at + kHeaderEnding.size();
    if (end < text.size() && is_word_char(text[end])) continue;
    std::size_t begin = at;
    while (begin > 0 && is_word_char(text[begin - 1])) --begin;
    if (begin == at || (begin > 0 && kNotAlone.find(text[begin - 1]) != text.npos)) continue;
    names.emplace_back(text.substr(begin, end - begin));
  }
  return names;
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

std::vector<Finding> check_header_names(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp()) continue;
    const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string& name : bare_headers(comment_of(file, i).text)) {
        if (find_file(tree, folder + name) != nullptr) continue;
        findings.push_back({file.path, i + 1, kHeaderNames,
                            fmt::format("this folder has no {}; name the header with its folder, "
                                        "as in an #include",
                                        name)});
      }
    }
  }
  return findings;
}

}  // namespace surety::lint
