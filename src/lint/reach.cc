#include "lint/reach.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "lint/modules.h"
#include "lint/source/list_file.h"

namespace surety::lint {
namespace {

constexpr const char* kReach = "reach";

bool is_production(const SourceFile& file) {
  return file.is_cpp() && file.path.starts_with("src/") && !file.is_for_tests() &&
         !file.path.ends_with("_fuzz.cc");
}

// "src/a/x" for "src/a/x.cc": a header and its source form one unit.
std::string name_of(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

// The links between units: to the units that they include, and from a header to its other sources.
class Links {
 public:
  explicit Links(const SourceTree& tree) {
    for (const SourceFile& file : tree.files) {
      if (!is_production(file)) continue;
      const SourceFile*& known = files_[name_of(file.path)];
      if (known == nullptr || file.is_header()) known = &file;
    }
    for (const SourceFile& file : tree.files) {
      if (is_production(file)) add(file);
    }
  }

  // Adds `name` and everything that can be reached from it by links.
  void follow(const std::string& name, std::set<std::string>& reached) const {
    if (!files_.contains(name) || !reached.insert(name).second) return;
    const auto [first, last] = links_.equal_range(name);
    for (auto link = first; link != last; ++link) follow(link->second, reached);
  }

  const std::map<std::string, const SourceFile*>& files() const { return files_; }

 private:
  void add(const SourceFile& file) {
    const std::string name = name_of(file.path);
    const bool has_header = files_.at(name)->is_header();
    for (const Include& include : quoted_includes(file)) {
      const std::string included = name_of("src/" + include.path);
      links_.emplace(name, included);
      const bool implements = !has_header && module_of(include) == module_of(file);
      if (implements) links_.emplace(included, name);
    }
  }

  // The key is the unit's name; the value is its header, if it has one.
  std::map<std::string, const SourceFile*> files_;
  std::multimap<std::string, std::string> links_;
};

// The fault in an entry of the list; empty if there is no fault.
std::string entry_fault(const ListEntry& entry, const Links& links,
                        const std::set<std::string>& reached) {
  const std::string& name = entry.words[0];
  if (!links.files().contains(name)) return name + " is not there; remove it from the list";
  if (reached.contains(name)) return "a program needs " + name + "; remove it from the list";
  return entry.reason.empty() ? name + " has no reason" : "";
}

}  // namespace

std::vector<Finding> check_reach(const SourceTree& tree) {
  const SourceFile* cmake_lists = find_file(tree, "CMakeLists.txt");
  SURETY_CHECK(cmake_lists != nullptr);
  const Links links(tree);
  std::set<std::string> reached;
  for (const auto& [main, program] : parse_modules(*cmake_lists).programs) {
    links.follow(name_of(main), reached);
  }
  std::vector<Finding> findings;
  std::set<std::string> listed;
  const SourceFile* list = find_file(tree, kReachList);
  for (const ListEntry& entry : list ? parse_list(*list) : std::vector<ListEntry>{}) {
    listed.insert(entry.words[0]);
    const std::string fault = entry_fault(entry, links, reached);
    if (!fault.empty()) findings.push_back({kReachList, entry.line, kReach, fault});
  }
  for (const auto& [name, file] : links.files()) {
    if (reached.contains(name) || listed.contains(name)) continue;
    findings.push_back({file->path, 0, kReach,
                        fmt::format("only tests or benchmarks need it; remove it, move it to them, "
                                    "or give a reason in {}",
                                    kReachList)});
  }
  return findings;
}

}  // namespace surety::lint
