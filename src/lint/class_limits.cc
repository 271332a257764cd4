#include "lint/class_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "lint/source/list_file.h"
#include "lint/source/statements.h"

namespace surety::lint {
namespace {

constexpr const char* kClasses = "classes";

std::string_view last_part(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

bool contains_token(const std::vector<Token>& tokens, std::string_view text) {
  return std::ranges::any_of(tokens, [&](const Token& token) { return token.text == text; });
}

// The tokens without "template < >" and "requires ( )" at the front.
std::vector<Token> after_template(std::vector<Token> tokens) {
  while (tokens.size() > 3 && (tokens[0].text == "template" || tokens[0].text == "requires")) {
    tokens.erase(tokens.begin(), tokens.begin() + 3);
  }
  return tokens;
}

// Adds the member that a statement in the body of a class declares.
void add_member(const Statement& statement, ClassSize& size) {
  constexpr std::array<std::string_view, 8> kNoMembers{
      "using", "typedef", "friend", "static_assert", "enum", "class", "struct", "union"};
  const std::vector<Token> tokens = after_template(statement.tokens);
  const bool is_member = std::ranges::find(kNoMembers, tokens[0].text) == kNoMembers.end();
  if (!is_member || contains_token(tokens, "operator")) return;
  const auto name_end = std::ranges::find_if(tokens, [](const Token& token) {
    return token.text == "(" || token.text == "=" || token.text == "{";
  });
  if (name_end == tokens.end() || name_end->text != "(") {
    if (!contains_token(tokens, "static") && tokens.size() > 1) ++size.fields;
    return;
  }
  const bool is_constructor =
      name_end != tokens.begin() && (name_end - 1)->text == last_part(size.name);
  if (!is_constructor && tokens.back().text != "delete") ++size.methods;
}

// The entry of a class in the list, and the largest numbers that classes of this name have.
struct Listed {
  std::size_t line = 0;
  std::map<std::string_view, std::size_t> counts;  // The keys are "methods" and "fields".
  std::map<std::string_view, std::size_t> largest;
};

using List = std::map<std::string_view, Listed>;

List read_list(const std::vector<ListEntry>& entries, std::vector<Finding>& findings) {
  List list;
  for (const ListEntry& entry : entries) {
    Listed& listed = list[entry.words[0]];
    listed.line = entry.line;
    bool is_good = entry.words.size() % 2 == 1 && entry.words.size() > 1 && !entry.reason.empty();
    for (std::size_t i = 1; i + 1 < entry.words.size(); i += 2) {
      const std::string& number = entry.words[i];
      const std::string& of = entry.words[i + 1];
      is_good = is_good && (of == "methods" || of == "fields") && number.size() < 9 &&
                number.find_first_not_of("0123456789") == number.npos;
      if (is_good) listed.counts[of] = std::stoul(number);
    }
    if (is_good) continue;
    findings.push_back({kClassList, entry.line, kClasses,
                        "cannot be read; write \"Name  25 methods  17 fields  # what to split "
                        "off\""});
  }
  return list;
}

void check_count(const ClassSize& size, std::string_view of, std::size_t count, std::size_t limit,
                 List& list, std::vector<Finding>& findings) {
  std::size_t allowed = limit;
  if (const auto listed = list.find(size.name); listed != list.end()) {
    std::size_t& largest = listed->second.largest[of];
    largest = std::max(largest, count);
    const auto found = listed->second.counts.find(of);
    if (found != listed->second.counts.end()) allowed = std::max(allowed, found->second);
  }
  if (count <= allowed) return;
  findings.push_back(
      {size.file, size.line, kClasses,
       fmt::format("{} has {} {}, at most {}; split the class", size.name, count, of, allowed)});
}

void check_entry(std::string_view name, const Listed& listed, const ClassLimits& limits,
                 std::vector<Finding>& findings) {
  for (const auto& [of, count] : listed.counts) {
    const auto found = listed.largest.find(of);
    const std::size_t largest = found == listed.largest.end() ? 0 : found->second;
    if (largest > count) continue;  // The class itself is reported.
    const std::size_t limit = of == "methods" ? limits.methods : limits.fields;
    if (largest == count && count > limit) continue;
    const std::string instead = largest > limit ? fmt::format("write {} {}", largest, of)
                                                : fmt::format("remove \"{} {}\"", count, of);
    findings.push_back({kClassList, listed.line, kClasses,
                        fmt::format("{} has {} {} now; {}", name, largest, of, instead)});
  }
}

}  // namespace

std::vector<ClassSize> measure_classes(const SourceFile& file) {
  const Statements statements = find_statements(file);
  std::map<std::size_t, ClassSize> by_scope;
  for (const Statement& statement : statements.all) {
    const StatementScope& scope = statements.scopes[statement.scope];
    if (scope.kind != StatementScope::Kind::kClass) continue;
    ClassSize& size = by_scope[statement.scope];
    size.file = file.path;
    size.line = scope.line;
    size.name = scope.name.substr(scope.name.starts_with("surety::") ? 8 : 0);
    add_member(statement, size);
  }
  std::vector<ClassSize> sizes;
  for (auto& [scope, size] : by_scope) sizes.push_back(std::move(size));
  return sizes;
}

std::vector<Finding> check_classes(const SourceTree& tree, const ClassLimits& limits) {
  std::vector<Finding> findings;
  const SourceFile* file_of_list = find_file(tree, kClassList);
  const std::vector<ListEntry> entries =
      file_of_list ? parse_list(*file_of_list) : std::vector<ListEntry>{};
  List list = read_list(entries, findings);
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() || file.is_for_tests()) continue;
    for (const ClassSize& size : measure_classes(file)) {
      check_count(size, "methods", size.methods, limits.methods, list, findings);
      if (size.methods == 0) continue;
      check_count(size, "fields", size.fields, limits.fields, list, findings);
    }
  }
  for (const auto& [name, listed] : list) check_entry(name, listed, limits, findings);
  return findings;
}

}  // namespace surety::lint
