#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/random.h"
#include "datasets.h"
#include "row_builder.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kFeatures = 1u << 17;
// Entries of a row; a lone brace, for example, carries no information.
constexpr std::size_t kEntriesMin = 10;

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 1469598103934665603ull;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return mix64(hash);
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == ' ') {
      ++columns;
    } else if (c == '\t') {
      columns += 8;
    } else {
      return columns;
    }
  }
  return std::string_view::npos;  // The line is blank.
}

// Each name, each number, and each other printed character is one token.
void hash_line(std::string_view line, std::vector<Entry>& row) {
  row.clear();
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i + 1;
    while (is_name(line[i]) && end < line.size() && is_name(line[end])) ++end;
    if (std::isgraph(static_cast<unsigned char>(line[i])) != 0) {
      const std::uint64_t token = hash_of(line.substr(i, end - i));
      row.emplace_back(token % kFeatures, 1.0);
      if (before != 0) row.emplace_back(mix64(before ^ (token * 31)) % kFeatures, 1.0);
      before = token;
    }
    i = end;
  }
  merge_entries(row);
  for (Entry& entry : row) entry.second = std::log1p(entry.second);
}

void add_file(const std::filesystem::path& path, std::uint32_t rows, data::Samples& samples) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::string before;  // The last line, whose label depends on the next one.
  std::vector<Entry> row;
  while (samples.size() < rows && std::getline(file, line)) {
    const std::size_t indent = indent_of(line);
    if (indent == std::string_view::npos || line.size() > 400) continue;
    if (!before.empty()) {
      hash_line(before, row);
      const bool deeper = indent > indent_of(before);
      if (row.size() >= kEntriesMin) append_unit_row(row, deeper ? 1.0f : -1.0f, samples);
    }
    before = line;
  }
}

std::vector<std::filesystem::path> source_files() {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const char* root : {"/usr/lib/python3", "/usr/lib/python3.11", "/usr/share/perl",
                           "/usr/share/perl5", "/usr/include"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
         at.increment(error)) {
      const std::string kind = at->path().extension();
      const bool source = kind == ".py" || kind == ".h" || kind == ".pm" || kind == ".pl";
      if (source && at->is_regular_file(error)) files.push_back(at->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Dataset read_text(std::uint32_t rows) {
  Dataset set{
      .name = "text",
      .schema = {.layout = data::Layout::kSparse, .width = kFeatures, .features = kFeatures},
      .samples = {}};
  const std::vector<std::filesystem::path> files = source_files();
  // Every k-th file comes first, so that even few rows come from all languages.
  static constexpr std::size_t kStride = 16;
  for (std::size_t first = 0; first < kStride; ++first) {
    for (std::size_t i = first; i < files.size(); i += kStride) {
      if (set.samples.size() < rows) add_file(files[i], rows, set.samples);
    }
  }
  if (set.samples.size() < rows / 2) return draw_invented_text(rows);
  return set;
}

}  // namespace surety::bench
