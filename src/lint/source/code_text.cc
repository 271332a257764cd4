#include "lint/source/code_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace surety::lint {
namespace {

// Reads the text once, and replaces everything that is not code by spaces.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        blank_to_line_end();
      } else if (starts("/*")) {
        blank_past("*/", 2);
      } else if (starts("R\"") && !(at_ > 0 && is_word_char(text_[at_ - 1]))) {
        blank_raw_string();
      } else if (text_[at_] == '"') {
        blank_literal('"');
      } else if (text_[at_] == '\'' && !is_digit_separator()) {
        blank_literal('\'');
      } else if (text_[at_] == '#' && line_is_blank_) {
        blank_directive();
      } else {
        keep();
      }
    }
    return out_;
  }

 private:
  bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }
  // A quote after a digit separates digits, as in 1'000.
  bool is_digit_separator() const {
    return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }
  void keep() {
    const char c = text_[at_++];
    line_is_blank_ = c == '\n' || (line_is_blank_ && (c == ' ' || c == '\t'));
    out_ += c;
  }
  void blank() {
    const char c = text_[at_++];
    if (c == '\n') line_is_blank_ = true;
    out_ += c == '\n' ? '\n' : ' ';
  }
  void blank_to_line_end() {
    while (at_ < text_.size() && text_[at_] != '\n') blank();
  }
  void blank_past(std::string_view end, std::size_t skip) {
    const std::size_t found = text_.find(end, at_ + skip);
    const std::size_t stop = found == std::string_view::npos ? text_.size() : found + end.size();
    while (at_ < stop) blank();
  }
  void blank_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return keep();
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    blank_past(end, open - at_);
  }
  void blank_literal(char quote) {
    keep();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) blank();
      blank();
    }
    if (at_ < text_.size() && text_[at_] == quote) keep();
  }
  // Replaces the directive, and the lines that a backslash adds to it, by spaces.
  void blank_directive() {
    while (at_ < text_.size()) {
      blank_to_line_end();
      const bool continued = text_[at_ - 1] == '\\';
      if (at_ < text_.size()) blank();
      if (!continued) return;
    }
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
  bool line_is_blank_ = true;  // If true, a # begins a directive.
};

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word_char(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_word_char(text[at + word.size()]);
    if (starts && ends) return true;
  }
  return false;
}

// Maps "template <typename T> struct X" to " struct X".
std::string_view without_template(std::string_view head) {
  if (!head.starts_with("template")) return head;
  int depth = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '<') ++depth;
    if (head[i] == '>' && --depth == 0) return head.substr(i + 1);
  }
  return head;
}

enum class Scope {
  kOpen,      // A namespace or a class: its functions are found.
  kFunction,  // A function body: everything inside is part of the function.
  kOther,     // Anything else, such as an initialiser or an enum.
};

// Determines what a brace opens, from the text between it and the last ; { or } before it.
Scope scope_of(std::string_view head) {
  const std::string_view declaration = without_template(head);
  const std::string_view before_paren = declaration.substr(0, declaration.find('('));
  for (const char* word : {"namespace", "class", "struct", "union", "extern"}) {
    const bool alone = word != std::string_view("extern") || before_paren == declaration;
    if (alone && has_word(before_paren, word) && !has_word(before_paren, "enum")) {
      return Scope::kOpen;
    }
  }
  const bool space_before = head.ends_with(' ');
  const std::size_t last = head.find_last_not_of(' ');
  if (!space_before || last == head.npos) return Scope::kOther;
  const bool initialises = std::string_view("=,({").find(head[last]) != std::string_view::npos;
  const bool has_parens = before_paren != declaration;
  return has_parens && !initialises ? Scope::kFunction : Scope::kOther;
}

// Tracks the braces, and the line in which the current declaration started.
class FunctionFinder {
 public:
  void feed(char c, std::size_t line) {
    if (c == '{') {
      open(line);
    } else if (c == '}') {
      close(line);
    } else if (c == ';' && paren_depth_ == 0) {
      head_.clear();
    } else {
      extend_head(c, line);
    }
  }
  std::vector<FunctionExtent> take() { return std::move(found_); }

 private:
  void open(std::size_t line) {
    const bool outside = scopes_.empty() || scopes_.back() == Scope::kOpen;
    const Scope scope = outside ? scope_of(head_) : Scope::kOther;
    scopes_.push_back(scope);
    if (scope == Scope::kFunction) first_ = head_.empty() ? line : head_line_;
    // A braced initialiser is part of its declaration: "X() : a_{1} {" continues after it.
    if (outside && scope != Scope::kOther) head_.clear();
    if (outside) paren_depth_ = 0;
  }
  void close(std::size_t line) {
    if (scopes_.empty()) return;  // The braces are unbalanced; the compiler will report it.
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    if (scope == Scope::kFunction) found_.push_back({.line_first = first_, .line_last = line});
    if (scope != Scope::kOther) head_.clear();
  }
  void extend_head(char c, std::size_t line) {
    if (!scopes_.empty() && scopes_.back() != Scope::kOpen) return;
    if (c == '(') ++paren_depth_;
    if (c == ')') paren_depth_ = std::max(paren_depth_ - 1, 0);
    if (c == '\n') c = ' ';
    if (head_.empty() && c == ' ') return;
    if (head_.empty()) head_line_ = line;
    head_ += c;
    for (const char* label : {"public:", "private:", "protected:"}) {
      if (head_ == label) head_.clear();
    }
  }

  std::vector<FunctionExtent> found_;
  std::vector<Scope> scopes_;  // The outermost comes first.
  std::string head_;           // The current declaration; empty outside namespaces and classes.
  std::size_t head_line_ = 0;
  std::size_t first_ = 0;  // First line of the current function.
  int paren_depth_ = 0;
};

}  // namespace

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::string code_of(std::string_view text) { return Blanker(text).run(); }

std::vector<FunctionExtent> find_functions(const std::vector<std::string>& code) {
  FunctionFinder finder;
  for (std::size_t i = 0; i < code.size(); ++i) {
    for (const char c : code[i]) finder.feed(c, i + 1);
    finder.feed('\n', i + 1);
  }
  return finder.take();
}

}  // namespace surety::lint
