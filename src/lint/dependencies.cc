#include "lint/dependencies.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "base/check.h"
#include "lint/modules.h"

namespace surety::lint {
namespace {

constexpr const char* kDependencies = "dependencies";

// The modules that the files of a module include.
struct UsedModules {
  std::set<std::string> by_code;
  std::set<std::string> by_tests;
};

using UsedByModule = std::map<std::string, UsedModules>;

// By module, and by the path of a file for the main files of programs.
UsedByModule used_in(const SourceTree& tree, const Modules& modules) {
  UsedByModule all;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() || !file.path.starts_with("src/")) continue;
    for (const Include& include : quoted_includes(file)) {
      UsedModules& used = all[module_of(file)];
      (file.is_for_tests() ? used.by_tests : used.by_code).insert(module_of(include));
      if (modules.programs.contains(file.path)) all[file.path].by_code.insert(module_of(include));
    }
  }
  return all;
}

void check_used(const std::string& name, const Module& module, const UsedModules& used,
                std::vector<Finding>& findings) {
  const auto report = [&](const std::string& what) {
    findings.push_back({"CMakeLists.txt", module.line, kDependencies, what});
  };
  for (const std::string& dep : module.deps) {
    if (used.by_code.contains(dep)) continue;
    const bool is_for_tests = used.by_tests.contains(dep);
    report(fmt::format("{} does not include {}; {}", name, dep,
                       is_for_tests ? "move it to TEST_DEPS" : "remove it from DEPS"));
  }
  for (const std::string& dep : module.test_deps) {
    if (used.by_tests.contains(dep) && !module.deps.contains(dep)) continue;
    report(fmt::format("the tests of {} do not need {}; remove it from TEST_DEPS", name, dep));
  }
}

}  // namespace

std::vector<Finding> check_dependencies(const SourceTree& tree) {
  const SourceFile* cmake_lists = find_file(tree, "CMakeLists.txt");
  SURETY_CHECK(cmake_lists != nullptr);
  const Modules modules = parse_modules(*cmake_lists);
  UsedByModule used = used_in(tree, modules);
  std::vector<Finding> findings;
  for (const auto& [name, module] : modules.by_name) {
    check_used(name, module, used[name], findings);
  }
  for (const auto& [path, program] : modules.programs) {
    check_used(path, program, used[path], findings);
  }
  return findings;
}

}  // namespace surety::lint
