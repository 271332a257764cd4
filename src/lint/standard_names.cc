#include "lint/standard_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

struct Standard {
  std::string_view header;
  std::vector<std::string_view> names;
};

// The names that each standard header declares.
const std::vector<Standard>& standard_headers() {
  static const std::vector<Standard> all = {
      {"algorithm",
       {"max", "min", "clamp", "sort", "find_if", "count_if", "max_element", "any_of"}},
      {"array", {"array"}},
      {"atomic", {"atomic", "atomic_bool", "memory_order_relaxed"}},
      {"chrono", {"chrono"}},
      {"cmath", {"abs", "ceil", "exp", "floor", "isfinite", "isnan", "log", "pow", "sqrt"}},
      {"condition_variable", {"condition_variable"}},
      {"cstddef", {"byte", "nullptr_t", "ptrdiff_t", "size_t"}},
      {"cstdint",
       {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
        "uintptr_t"}},
      {"deque", {"deque"}},
      {"filesystem", {"filesystem"}},
      {"functional", {"function", "hash"}},
      {"initializer_list", {"initializer_list"}},
      {"limits", {"numeric_limits"}},
      {"list", {"list"}},
      {"map", {"map", "multimap"}},
      {"memory", {"make_shared", "make_unique", "shared_ptr", "unique_ptr", "weak_ptr"}},
      {"mutex", {"lock_guard", "mutex", "scoped_lock", "unique_lock"}},
      {"optional", {"nullopt", "optional"}},
      {"queue", {"priority_queue", "queue"}},
      {"set", {"multiset", "set"}},
      {"span", {"as_bytes", "as_writable_bytes", "span"}},
      {"string", {"string", "to_string"}},
      {"string_view", {"string_view"}},
      {"thread", {"jthread", "thread"}},
      {"tuple", {"tie", "tuple"}},
      {"type_traits", {"decay_t", "is_arithmetic_v", "is_same_v", "remove_cvref_t"}},
      {"unordered_map", {"unordered_map"}},
      {"unordered_set", {"unordered_set"}},
      {"utility", {"exchange", "forward", "move", "pair", "swap"}},
      {"variant", {"get_if", "holds_alternative", "monostate", "variant", "visit"}},
      {"vector", {"vector"}}};
  return all;
}

const std::map<std::string_view, std::string_view>& header_of() {
  static const std::map<std::string_view, std::string_view> map = [] {
    std::map<std::string_view, std::string_view> out;
    for (const Standard& standard : standard_headers()) {
      for (const std::string_view name : standard.names) out.emplace(name, standard.header);
    }
    return out;
  }();
  return map;
}

std::set<std::string> included_by(const SourceFile& file) {
  constexpr std::string_view kInclude = "#include <";
  std::set<std::string> headers;
  for (const std::string& line : file.lines) {
    if (!line.starts_with(kInclude)) continue;
    headers.insert(line.substr(kInclude.size(), line.find('>') - kInclude.size()));
  }
  return headers;
}

void check_line(const SourceFile& file, std::size_t index, std::set<std::string>& included,
                std::vector<Finding>& findings) {
  constexpr std::string_view kStd = "std::";
  const std::string& code = file.code[index];
  for (std::size_t at = code.find(kStd); at != code.npos; at = code.find(kStd, at)) {
    const bool is_whole = at == 0 || (!is_word_char(code[at - 1]) && code[at - 1] != ':');
    at += kStd.size();
    std::size_t end = at;
    while (end < code.size() && is_word_char(code[end])) ++end;
    const auto found = header_of().find(std::string_view(code).substr(at, end - at));
    if (!is_whole || found == header_of().end()) continue;
    // Each header is reported once.
    if (!included.insert(std::string(found->second)).second) continue;
    findings.push_back(
        {file.path, index + 1, "standard names",
         fmt::format("std::{} without #include <{}>; include it", found->first, found->second)});
  }
}

}  // namespace

std::vector<Finding> check_standard_names(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_header()) continue;
    std::set<std::string> included = included_by(file);
    for (std::size_t i = 0; i < file.code.size(); ++i) check_line(file, i, included, findings);
  }
  return findings;
}

}  // namespace surety::lint
