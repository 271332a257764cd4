#include "lint/modules.h"

#include <fmt/format.h>

#include <string_view>

#include "base/check.h"
#include "lint/source/code_text.h"

namespace surety::lint {
namespace {

constexpr const char* kLayers = "layers";
constexpr const char* kProto = "proto";
constexpr std::string_view kSources = "src/";

// One call, for example of surety_module, with the words between its parentheses.
struct Call {
  std::size_t line = 0;
  std::string command;
  std::vector<std::string> words;
};

std::vector<Call> surety_calls(const SourceFile& file) {
  std::vector<Call> calls;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::size_t open = file.lines[i].find('(');
    if (!file.lines[i].starts_with("surety_") || open == std::string::npos) continue;
    Call call{.line = i + 1, .command = file.lines[i].substr(0, open), .words = {}};
    std::string text = file.lines[i].substr(open + 1);
    while (text.find(')') == std::string::npos && i + 1 < file.lines.size()) {
      text += ' ' + file.lines[++i];
    }
    call.words = words_of(std::string_view(text).substr(0, text.find(')')));
    if (!call.words.empty()) calls.push_back(std::move(call));
  }
  return calls;
}

// The keywords in cmake/modules.cmake.
const std::set<std::string> kKeywords = {"DEPS", "LIBS",  "TEST_DEPS", "TEST_LIBS",
                                         "MAIN", "ALONE", "HOT",       "TEST_COST"};

// The words between `keyword` and the next keyword.
std::vector<std::string> words_after(const Call& call, std::string_view keyword) {
  std::vector<std::string> words;
  bool inside = false;
  for (const std::string& word : call.words) {
    if (kKeywords.contains(word)) {
      inside = word == keyword;
    } else if (inside) {
      words.push_back(word);
    }
  }
  return words;
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

// The path without the prefix, if it has it.
std::string_view without(std::string_view prefix, std::string_view path) {
  if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
  return path;
}

// The modules that a file may include: those of its module, for a main file those of its program
// and of its module, if its folder is one, and for a test also those of its module's tests. Tests
// and fuzz targets may also include the test support of all of these.
std::set<std::string> allowed_for(const SourceFile& file, const std::string& module,
                                  const Modules& modules) {
  std::set<std::string> allowed;
  if (const auto own = modules.by_name.find(module); own != modules.by_name.end()) {
    allowed = own->second.deps;
    allowed.insert(module);
    const std::set<std::string>& of_tests = own->second.test_deps;
    if (file.is_for_tests()) allowed.insert(of_tests.begin(), of_tests.end());
  }
  if (is_outside_programs(file.path)) {
    for (const std::string& name : std::set<std::string>(allowed)) {
      allowed.insert(std::string(kTestSupport) + name);
    }
  }
  if (const auto program = modules.programs.find(file.path); program != modules.programs.end()) {
    allowed.insert(program->second.deps.begin(), program->second.deps.end());
  }
  return allowed;
}

void check_file(const SourceFile& file, const Modules& modules, std::vector<Finding>& findings) {
  const std::string module = module_of(file);
  if (!modules.by_name.contains(module) && !modules.programs.contains(file.path)) {
    findings.push_back({file.path, 0, kLayers,
                        fmt::format("folder of no module; add surety_module({} DEPS ...) to "
                                    "CMakeLists.txt, or move the file",
                                    module)});
    return;
  }
  const std::set<std::string> allowed = allowed_for(file, module, modules);
  for (const Include& include : quoted_includes(file)) {
    if (is_outside_programs(include.path) && !is_outside_programs(file.path)) {
      findings.push_back(
          {file.path, include.line, kLayers,
           fmt::format("\"{}\" is for tests; no program may need it", include.path)});
      continue;
    }
    const std::string target = module_of(include);
    if (allowed.contains(target)) continue;
    const std::string what =
        target.empty() ? fmt::format("\"{}\" names no module; write \"{}/{}\"", include.path,
                                     module, include.path)
        : !modules.by_name.contains(std::string(without(kTestSupport, target)))
            ? fmt::format("\"{}\" belongs to no module; use <> for libraries", include.path)
            : fmt::format(
                  "{} may not include {}; move the code down, or join the two in a module that "
                  "includes both",
                  module, target);
    findings.push_back({file.path, include.line, kLayers, what});
  }
}

void check_order(const Modules& modules, const SourceFile& cmake_lists,
                 std::vector<Finding>& findings) {
  for (const auto& [name, module] : modules.by_name) {
    std::set<std::string> deps = module.deps;
    deps.insert(module.test_deps.begin(), module.test_deps.end());
    for (const std::string& dep : deps) {
      const auto found = modules.by_name.find(dep);
      if (found != modules.by_name.end() && found->second.line < module.line) continue;
      findings.push_back({cmake_lists.path, module.line, kLayers,
                          fmt::format("{} depends on {}, which is not declared above it; "
                                      "dependencies point down only",
                                      name, dep)});
    }
  }
}

}  // namespace

bool is_outside_programs(std::string_view path) {
  return path.starts_with(kTestSupport) || path.find("_test") != std::string_view::npos ||
         path.find("_fuzz") != std::string_view::npos;
}

Modules parse_modules(const SourceFile& cmake_lists) {
  Modules modules;
  for (const Call& call : surety_calls(cmake_lists)) {
    const std::vector<std::string> deps = words_after(call, "DEPS");
    const std::vector<std::string> test_deps = words_after(call, "TEST_DEPS");
    const Module module{.line = call.line,
                        .deps = {deps.begin(), deps.end()},
                        .test_deps = {test_deps.begin(), test_deps.end()}};
    if (call.command == "surety_program") {
      for (const std::string& path : words_after(call, "MAIN")) modules.programs[path] = module;
    } else {
      modules.by_name[call.words[0]] = module;
    }
  }
  return modules;
}

std::vector<Include> quoted_includes(const SourceFile& file) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<Include> includes;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view line = file.lines[i];
    if (!line.starts_with(kInclude)) continue;
    const std::string_view path = line.substr(kInclude.size());
    includes.push_back({i + 1, std::string(path.substr(0, path.find('"')))});
  }
  return includes;
}

std::string module_of(const Include& include) {
  const bool is_generated = include.path.ends_with(".pb.h");
  return is_generated ? kProto : folder_of(include.path);
}

std::string module_of(const SourceFile& file) {
  return std::string(without(kTestSupport, without(kSources, folder_of(file.path))));
}

std::vector<Finding> check_layers(const SourceTree& tree) {
  const SourceFile* cmake_lists = find_file(tree, "CMakeLists.txt");
  SURETY_CHECK(cmake_lists != nullptr);
  const Modules modules = parse_modules(*cmake_lists);
  std::vector<Finding> findings;
  check_order(modules, *cmake_lists, findings);
  for (const SourceFile& file : tree.files) {
    const bool checked = file.path.starts_with(kSources) || file.path.starts_with(kTestSupport);
    if (file.is_cpp() && checked) check_file(file, modules, findings);
  }
  return findings;
}

}  // namespace surety::lint
