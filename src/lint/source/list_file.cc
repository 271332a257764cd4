#include "lint/source/list_file.h"

#include <string_view>

#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace

std::vector<ListEntry> parse_list(const SourceFile& file) {
  std::vector<ListEntry> entries;
  std::string group;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view line = file.lines[i];
    if (line.starts_with('[')) {
      group = line.substr(1, line.find(']') - 1);
      continue;
    }
    const std::size_t hash = line.find('#');
    const std::vector<std::string> words = words_of(line.substr(0, hash));
    if (words.empty()) continue;
    const std::string_view reason = hash == line.npos ? "" : trimmed(line.substr(hash + 1));
    entries.push_back({i + 1, group, words, std::string(reason)});
  }
  return entries;
}

}  // namespace surety::lint
