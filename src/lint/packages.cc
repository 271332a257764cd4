#include "lint/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "lint/source/list_file.h"

namespace surety::lint {
namespace {

constexpr const char* kPackages = "packages";

// The header of an #include line, without its marks; empty for other lines.
std::string_view included_header(std::string_view line) {
  constexpr std::string_view kInclude = "#include ";
  if (!line.starts_with(kInclude) || line.size() < kInclude.size() + 2) return "";
  line.remove_prefix(kInclude.size() + 1);
  return line.substr(0, line.find_first_of("\">"));
}

bool is_cmake_file(const SourceFile& file) {
  return file.path.ends_with("CMakeLists.txt") || file.path.ends_with(".cmake");
}

bool uses_package(const SourceFile& file, std::string_view used) {
  const bool is_option = used.starts_with('-');
  if (is_option ? !is_cmake_file(file) : !file.is_cpp()) return false;
  return std::ranges::any_of(file.lines, [&](const std::string& line) {
    if (is_option) return line.find(used) != line.npos;
    const std::string_view header = included_header(line);
    return used.starts_with('.') ? header.ends_with(used) : header.starts_with(used);
  });
}

bool has_user(const SourceTree& tree, std::string_view group, std::string_view used) {
  return std::ranges::any_of(tree.files, [&](const SourceFile& file) {
    const bool is_program = file.path.starts_with("src/") && !file.is_for_tests();
    return (group != "build" || is_program || is_cmake_file(file)) && uses_package(file, used);
  });
}

// The fault in the entry; empty if there is no fault.
std::string package_fault(const ListEntry& entry, const SourceTree& tree) {
  const std::string& package = entry.words[0];
  if (entry.reason.empty()) {
    return fmt::format("\"{}\" has no reason; write \"package  # why\"", package);
  }
  if (!package.ends_with("-dev")) return "";
  if (entry.words.size() < 2) {
    return fmt::format(
        "{} is a library; write which headers of it are included, as in \"{}  fmt/\"", package,
        package);
  }
  if (has_user(tree, entry.group, entry.words[1])) return "";
  return fmt::format("no file uses {} of {}; remove the package, or use it", entry.words[1],
                     package);
}

}  // namespace

std::vector<Finding> check_packages(const SourceTree& tree) {
  const SourceFile* file = find_file(tree, "packages.txt");
  if (!file)
    return {{"packages.txt", 0, kPackages, "missing; list the Debian packages that are needed"}};
  std::vector<Finding> findings;
  for (const ListEntry& entry : parse_list(*file)) {
    const std::string fault = package_fault(entry, tree);
    if (!fault.empty()) findings.push_back({file->path, entry.line, kPackages, fault});
  }
  return findings;
}

}  // namespace surety::lint
