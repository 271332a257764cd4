#include "lint/folders.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace surety::lint {
namespace {

constexpr std::string_view kSources = "src/";
constexpr std::size_t kFilesMax = 35;

// A longer path comes before a part of it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOwnNamespaces{{
    {"src/base/crypto/", "surety::crypto"},
    {"src/base/posix/", "surety::posix"},
    {"src/base/", "surety"},
    {"src/plan/check/", "surety::plan::check"},
}};

std::string namespace_of(std::string_view path) {
  for (const auto& [folder, name] : kOwnNamespaces) {
    if (path.starts_with(folder)) return std::string(name);
  }
  const std::string_view below = path.substr(kSources.size());
  return fmt::format("surety::{}", below.substr(0, below.find('/')));
}

// The name that the line opens: "surety::plan" in "namespace surety::plan {".
std::string_view opened_by(std::string_view line) {
  constexpr std::string_view kWord = "namespace ";
  if (!line.starts_with(kWord) || !line.ends_with(" {")) return {};
  return line.substr(kWord.size(), line.size() - kWord.size() - 2);
}

}  // namespace

std::vector<Finding> check_folders(const SourceTree& tree) {
  std::map<std::string, std::size_t> files;
  for (const SourceFile& file : tree.files) {
    if (!file.path.starts_with(kSources) || file.is_for_tests()) continue;
    ++files[file.path.substr(0, file.path.rfind('/'))];
  }
  std::vector<Finding> findings;
  for (const auto& [folder, count] : files) {
    if (count <= kFilesMax) continue;
    findings.push_back({folder, 0, "folders",
                        fmt::format("{} files beside each other, at most {} without tests; move "
                                    "those about one thing to a folder of their own",
                                    count, kFilesMax)});
  }
  return findings;
}

std::vector<Finding> check_namespaces(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.path.starts_with(kSources) || !file.is_header()) continue;
    const std::string expected = namespace_of(file.path);
    std::size_t first = 0;  // The first line that opens a namespace of ours.
    bool is_right = false;
    for (std::size_t l = 0; l < file.code.size(); ++l) {
      const std::string_view name = opened_by(file.code[l]);
      if (!name.starts_with("surety")) continue;
      // Other namespaces may be opened, too, to declare their classes.
      is_right = is_right || name == expected || name.starts_with(expected + "::");
      if (first == 0) first = l + 1;
    }
    if (first == 0 || is_right) continue;
    findings.push_back(
        {file.path, first, "namespaces", fmt::format("expected {}, after the folder", expected)});
  }
  return findings;
}

}  // namespace surety::lint
