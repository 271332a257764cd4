#include "lint/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

constexpr const char* kSizes = "sizes";
constexpr const char* kHeaders = "headers";
constexpr const char* kPaths = "paths";

std::size_t columns_of(std::string_view line) {
  // Counts each byte of UTF-8 that does not continue a character.
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  }));
}

void check_file_lines(const SourceFile& file, const SizeLimits& limits,
                      std::vector<Finding>& findings) {
  const std::size_t limit = file.is_header() ? limits.header_lines : limits.file_lines;
  const auto includes = std::count_if(file.lines.begin(), file.lines.end(), [](const auto& line) {
    return line.starts_with("#include");
  });
  const std::size_t lines = file.lines.size() - static_cast<std::size_t>(includes);
  if (lines <= limit) return;
  findings.push_back(
      {file.path, 0, kSizes,
       fmt::format("{} lines, at most {}; split the file, so that each part describes one noun",
                   lines, limit)});
}

void check_functions(const SourceFile& file, const SizeLimits& limits,
                     std::vector<Finding>& findings) {
  for (const FunctionExtent& function : find_functions(file.code)) {
    if (function.lines() <= limits.function_lines) continue;
    findings.push_back({file.path, function.line_first, kSizes,
                        fmt::format("function of {} lines, at most {}; keep its branches and move "
                                    "its straight parts into named functions",
                                    function.lines(), limits.function_lines)});
  }
}

void check_columns(const SourceFile& file, const SizeLimits& limits,
                   std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::size_t columns = columns_of(file.lines[i]);
    if (columns <= limits.columns) continue;
    findings.push_back({file.path, i + 1, kSizes,
                        fmt::format("{} columns, at most {}; break the line (clang-format -i)",
                                    columns, limits.columns)});
  }
}

// Headers of libraries that take half a second and more to compile.
constexpr std::string_view kHeavyHeaders[] = {
    "<CLI/", "<grpc", "<google/protobuf", "<nlohmann/json.hpp>", "<torch/", "<yaml-cpp/"};
// The subject of these headers is JSON itself: only sources that read or write JSON include them.
constexpr std::string_view kJsonArchives[] = {"src/certificate/json_archive.h",
                                              "src/plan/files/json_writer.h"};

void check_heavy_includes(const SourceFile& file, std::vector<Finding>& findings) {
  // A header of a benchmark is included by few sources.
  if (!file.path.starts_with("src/")) return;
  if (std::ranges::find(kJsonArchives, file.path) != std::end(kJsonArchives)) return;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view line = file.lines[i];
    if (!line.starts_with("#include <")) continue;
    const bool is_heavy = std::ranges::any_of(kHeavyHeaders, [&](std::string_view heavy) {
      return line.substr(std::string_view("#include ").size()).starts_with(heavy);
    });
    if (!is_heavy) continue;
    findings.push_back({file.path, i + 1, kHeaders,
                        "a header includes a library's header that takes long to compile; declare "
                        "its types and include it in the source"});
  }
}

std::string describe(const char* name, std::vector<std::size_t> lines) {
  if (lines.empty()) return fmt::format("info: {}: none", name);
  std::sort(lines.begin(), lines.end());
  const auto at = [&](std::size_t percent) { return lines[(lines.size() - 1) * percent / 100]; };
  return fmt::format("info: {}: {}; lines median {}, p90 {}, p99 {}, max {}", name, lines.size(),
                     at(50), at(90), at(99), lines.back());
}

}  // namespace

std::vector<Finding> check_sizes(const SourceTree& tree, const SizeLimits& limits) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp()) continue;
    check_file_lines(file, limits, findings);
    check_functions(file, limits, findings);
    check_columns(file, limits, findings);
  }
  return findings;
}

std::vector<Finding> check_headers(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_header()) continue;
    if (file.lines.empty() || !file.lines[0].starts_with("// ")) {
      findings.push_back({file.path, 1, kHeaders,
                          "no comment first; describe what the thing is and what it is not"});
    }
    if (std::find(file.lines.begin(), file.lines.end(), "#pragma once") == file.lines.end()) {
      findings.push_back({file.path, 1, kHeaders, "no #pragma once; put it below the comment"});
    }
    check_heavy_includes(file, findings);
  }
  return findings;
}

std::vector<Finding> check_paths(const SourceTree& tree) {
  // The paths are split in two, so that the rule does not find them in this file.
  static constexpr std::string_view kMachinePaths[] = {
      "/wo"
      "rk/",
      "/ro"
      "ot/"};
  std::vector<Finding> findings;
  for (const SourceFile& file : tree.files) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string_view path : kMachinePaths) {
        if (file.lines[i].find(path) == std::string::npos) continue;
        findings.push_back({file.path, i + 1, kPaths,
                            fmt::format("{} is a folder of one machine; use a path from the "
                                        "repository's root, or an argument",
                                        path)});
      }
    }
  }
  return findings;
}

std::string describe_sizes(const SourceTree& tree) {
  std::vector<std::size_t> files;
  std::vector<std::size_t> functions;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp()) continue;
    files.push_back(file.lines.size());
    for (const FunctionExtent& function : find_functions(file.code)) {
      functions.push_back(function.lines());
    }
  }
  return describe("files", files) + "\n" + describe("functions", functions) + "\n";
}

}  // namespace surety::lint
