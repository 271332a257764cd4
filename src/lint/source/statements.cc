#include "lint/source/statements.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

// The end of the token that starts at `at`.
std::size_t end_of_token(std::string_view line, std::size_t at) {
  const char first = line[at];
  if (first == '"' || first == '\'') {
    const std::size_t close = line.find(first, at + 1);
    return close == line.npos ? line.size() : close + 1;
  }
  if (is_word_char(first)) {
    // A quote between digits separates them, as in 1'000.
    while (at < line.size() && (is_word_char(line[at]) || line[at] == '\'')) ++at;
    return at;
  }
  const std::string_view two = line.substr(at, 2);
  return at + (two == "::" || two == "->" ? 2 : 1);
}

std::vector<Token> tokens_of(const SourceFile& file) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string_view line = file.code[i];
    bool is_spaced = true;
    for (std::size_t at = 0; at < line.size();) {
      if (line[at] == ' ' || line[at] == '\t') {
        is_spaced = true;
        ++at;
        continue;
      }
      const std::size_t end = end_of_token(line, at);
      tokens.push_back({line.substr(at, end - at), i + 1, is_spaced});
      is_spaced = false;
      at = end;
    }
  }
  return tokens;
}

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::array<std::string_view, kCount>& list) {
  return std::ranges::find(list, text) != list.end();
}

bool has_token(const Statement& statement, std::string_view text) {
  return std::ranges::any_of(statement.tokens, [&](const Token& t) { return t.text == text; });
}

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '<' ? '>' : '}'; }

// The scope that a brace at the end of `head` opens.
StatementScope::Kind kind_of(const Statement& head) {
  using Kind = StatementScope::Kind;
  const auto has = [&](std::string_view text) { return has_token(head, text); };
  const bool is_function = has("(") || has("=");
  if (has("namespace") || (has("extern") && !is_function)) return Kind::kNamespace;
  const bool is_class = has("class") || has("struct") || has("union");
  return is_class && !is_function ? Kind::kClass : Kind::kFunction;
}

// The name after the last of the words that introduce a namespace or a class.
std::string name_in(const Statement& head) {
  constexpr std::array<std::string_view, 4> kIntroduce{"namespace", "class", "struct", "union"};
  std::string name;
  for (const Token& token : head.tokens) {
    if (is_one_of(token.text, kIntroduce)) {
      name.clear();
    } else if (token.text == "[" || token.text == "]") {
      continue;  // The name comes after the attribute.
    } else if (token.text == "final" || (!token.is_word() && token.text != "::")) {
      if (!name.empty()) break;
    } else {
      name += token.text;
    }
  }
  return name;
}

// Tracks the brackets. A frame is a scope with its current statement, or a bracket. The inside of a
// bracket is skipped, except the bodies of lambdas.
class Walker {
 public:
  Walker() {
    found_.scopes.emplace_back();
    frames_.push_back({.is_scope = true});
  }

  void feed(const Token& token) {
    while (top().close == '>' && ends_angle(token.symbol())) frames_.pop_back();
    if (top().is_scope) {
      feed_scope(token);
    } else if (is_open(token)) {
      open(token);
    } else if (token.symbol() == top().close) {
      close_frame(token);
    }
    last_ = token;
  }

  Statements take() {
    frames_.resize(1);
    if (top().body_ended) end_statement();
    return std::move(found_);
  }

 private:
  struct Frame {
    bool is_scope = false;
    char close = '\0';
    Statement statement = {};  // Used by scopes, but not by brackets.
    bool body_ended = false;   // The last token of the statement closes a body.
  };

  Frame& top() { return frames_.back(); }

  // If one of these characters comes before its >, a < was not a bracket.
  static bool ends_angle(char symbol) {
    return symbol == ';' || symbol == ')' || symbol == ']' || symbol == '}';
  }

  bool is_open(const Token& token) const {
    const char symbol = token.symbol();
    if (symbol != '<') return symbol == '(' || symbol == '[' || symbol == '{';
    if (last_.text == "template") return true;
    return !token.is_spaced && last_.text != "operator" && (last_.is_word() || last_.text == "]");
  }

  // Whether the brace opens a body rather than an initialiser or enumerators.
  bool opens_body(const Token& brace) {
    if (top().is_scope && top().statement.tokens.empty()) return true;
    if (top().is_scope && has_token(top().statement, "enum")) return false;
    constexpr std::array<std::string_view, 6> kBefore{")", "]", "}", ">", "*", "&"};
    const bool is_after_word = last_.is_word() && last_.text != "return";
    const bool is_extern_c = last_.text.starts_with('"');
    return brace.is_spaced && (is_after_word || is_extern_c || is_one_of(last_.text, kBefore));
  }

  void feed_scope(const Token& token) {
    const char symbol = token.symbol();
    // A function ends with its body, but the statement of a lambda continues.
    const bool goes_on = symbol == ';' || symbol == ',' || symbol == '(';
    if (top().body_ended && !goes_on) end_statement();
    top().body_ended = false;
    if (is_open(token)) {
      open(token);
    } else if (symbol == '}') {
      close_frame(token);
    } else if (symbol == ';') {
      end_statement();
    } else if (symbol == ':' && is_label()) {
      top().statement.tokens.clear();
    } else {
      top().statement.tokens.push_back(token);
    }
  }

  bool is_label() {
    constexpr std::array<std::string_view, 5> kLabels{"public", "private", "protected", "case",
                                                      "default"};
    const std::vector<Token>& tokens = top().statement.tokens;
    return !tokens.empty() && is_one_of(tokens[0].text, kLabels);
  }

  void open(const Token& token) {
    const bool is_body = token.symbol() == '{' && opens_body(token);
    if (top().is_scope) top().statement.tokens.push_back(token);
    if (is_body) {
      open_scope(token);
    } else {
      frames_.push_back({.is_scope = false, .close = closing(token.symbol())});
    }
  }

  void open_scope(const Token& brace) {
    using Kind = StatementScope::Kind;
    StatementScope scope{.kind = Kind::kFunction, .name = name_around(), .line = brace.line};
    if (top().is_scope) scope.kind = kind_of(top().statement);
    if (scope.kind != Kind::kFunction) {
      const std::string name = name_in(top().statement);
      if (!scope.name.empty() && !name.empty()) scope.name += "::";
      scope.name += name;
    }
    found_.scopes.push_back(std::move(scope));
    const Statement first{.tokens = {}, .scope = found_.scopes.size() - 1};
    frames_.push_back({.is_scope = true, .close = '}', .statement = first});
  }

  // The qualified name of the current scope.
  const std::string& name_around() const {
    const auto frame = std::find_if(frames_.rbegin(), frames_.rend(),
                                    [](const Frame& open) { return open.is_scope; });
    return found_.scopes[frame->statement.scope].name;
  }

  void close_frame(const Token& token) {
    if (frames_.size() == 1) return;  // The braces are unbalanced; the compiler will report it.
    if (top().body_ended) end_statement();
    const Frame closed = std::move(top());
    frames_.pop_back();
    if (!top().is_scope) return;
    const StatementScope::Kind kind = found_.scopes[closed.statement.scope].kind;
    if (closed.is_scope && kind != StatementScope::Kind::kFunction) {
      return top().statement.tokens.clear();  // This was the head of a class or a namespace.
    }
    top().statement.tokens.push_back(token);
    top().body_ended = closed.is_scope;
    drop_attribute();
  }

  // Attributes and alignas() do not matter for the declaration.
  void drop_attribute() {
    std::vector<Token>& tokens = top().statement.tokens;
    const std::size_t size = tokens.size();
    const bool is_attribute = size == 2 && tokens[0].text == "[";
    const bool is_alignas = size > 2 && tokens[size - 3].text == "alignas";
    if (is_attribute) tokens.clear();
    if (is_alignas) tokens.resize(size - 3);
  }

  void end_statement() {
    Statement& statement = top().statement;
    const Statement next{.tokens = {}, .scope = statement.scope};
    statement.has_body = top().body_ended;
    if (!statement.tokens.empty()) found_.all.push_back(std::move(statement));
    statement = next;
  }

  Statements found_;
  std::vector<Frame> frames_;  // The outermost comes first: the file.
  Token last_;
};

}  // namespace

bool Token::is_word() const { return !text.empty() && is_word_char(text[0]); }

Statements find_statements(const SourceFile& file) {
  Walker walker;
  for (const Token& token : tokens_of(file)) walker.feed(token);
  return walker.take();
}

}  // namespace surety::lint
