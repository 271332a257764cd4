#include "lint/source/source_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/posix/file.h"
#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

constexpr std::array<const char*, 10> kFolders{"src",      "test",  "bench",     "cmake",   "docs",
                                               "examples", "proto", "scenarios", "scripts", ".ci"};
constexpr std::array<const char*, 4> kRootFiles{"CMakeLists.txt", "CMakePresets.json",
                                                "packages.txt", "surety"};
// Larger files are data and not sources.
constexpr std::uint64_t kFileBytesMax = 1 << 20;

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Corpora of fuzz targets are input, and a file with a zero byte is not text.
bool is_source(const std::filesystem::path& path, std::string_view text) {
  const bool corpus = std::find(path.begin(), path.end(), "corpus") != path.end();
  return !corpus && text.find('\0') == std::string_view::npos;
}

Result<void> add_file(const std::filesystem::path& root, const std::filesystem::path& path,
                      SourceTree& tree) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) > kFileBytesMax || error) return {};
  SURETY_TRY(const std::string text, posix::read_file(path, kFileBytesMax));
  if (!is_source(path, text)) return {};
  tree.files.push_back(make_file(path.lexically_relative(root).generic_string(), text));
  return {};
}

Result<void> add_documents(const std::filesystem::path& root, SourceTree& tree) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root, error)) {
    if (entry.path().extension() != ".md" || !entry.is_regular_file(error)) continue;
    SURETY_TRY(add_file(root, entry.path(), tree));
  }
  return {};
}

Result<void> add_folder(const std::filesystem::path& root, const char* folder, SourceTree& tree) {
  std::error_code error;
  std::filesystem::recursive_directory_iterator entries(root / folder, error);
  if (error) return {};  // Not every tree has all folders.
  for (const auto& entry : entries) {
    if (entry.is_regular_file(error)) SURETY_TRY(add_file(root, entry.path(), tree));
  }
  return {};
}

}  // namespace

std::string Finding::text() const {
  return fmt::format("{}:{}: {}: {}", file, std::max<std::size_t>(line, 1), rule, message);
}

SourceFile make_file(std::string path, std::string_view text) {
  SourceFile file{.path = std::move(path), .lines = split_lines(text), .code = {}};
  if (file.is_cpp()) file.code = split_lines(code_of(text));
  return file;
}

const SourceFile* find_file(const SourceTree& tree, std::string_view path) {
  for (const SourceFile& file : tree.files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

Result<SourceTree> read_tree(const std::filesystem::path& root) {
  SourceTree tree;
  for (const char* name : kRootFiles) {
    if (std::filesystem::exists(root / name)) SURETY_TRY(add_file(root, root / name, tree));
  }
  if (!find_file(tree, "CMakeLists.txt")) {
    return fail(ErrorCode::kInvalidInput, "{}: found no CMakeLists.txt, expected a source tree",
                root.string());
  }
  SURETY_TRY(add_documents(root, tree));
  for (const char* folder : kFolders) SURETY_TRY(add_folder(root, folder, tree));
  std::sort(tree.files.begin(), tree.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return tree;
}

}  // namespace surety::lint
