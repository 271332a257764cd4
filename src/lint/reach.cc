#include "lint/reach.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "lint/modules.h"

namespace surety::lint {
namespace {

// "src/plan/x.cc" and "src/plan/x.h" have one stem.
std::string stem_of(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

std::string_view place_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

// Which of the files in src/ that are not for tests lead to which.
class Paths {
 public:
  explicit Paths(const SourceTree& tree) {
    for (const SourceFile& file : tree.files) {
      if (!file.is_cpp() || !file.path.starts_with("src/") || is_for_tests(file.path)) continue;
      next_[file.path];
    }
    for (const SourceFile& file : tree.files) {
      if (next_.contains(file.path)) add(file);
    }
  }

  void reach(const std::string& path) {
    if (!next_.contains(path) || !reached_.insert(path).second) return;
    for (const std::string& next : next_.at(path)) reach(next);
  }

  [[nodiscard]] std::vector<std::string> not_reached() const {
    std::vector<std::string> left;
    for (const auto& [path, next] : next_) {
      if (!reached_.contains(path)) left.push_back(path);
    }
    return left;
  }

 private:
  void add(const SourceFile& file) {
    const std::string source = stem_of(file.path) + ".cc";
    if (file.is_header() && next_.contains(source)) next_[file.path].insert(source);
    const bool alone = !file.is_header() && !next_.contains(stem_of(file.path) + ".h");
    for (const std::string& line : file.lines) {
      const std::optional<std::string> include = quoted_include(line);
      if (!include) continue;
      const std::string header = "src/" + *include;
      next_[file.path].insert(header);
      const bool beside = place_of(header) == place_of(file.path);
      if (alone && beside && next_.contains(header)) next_[header].insert(file.path);
    }
  }

  std::map<std::string, std::set<std::string>> next_;  // Filled by the constructor.
  std::set<std::string> reached_;                      // Filled by reach().
};

}  // namespace

std::vector<Finding> check_reached(const SourceTree& tree) {
  const SourceFile* cmake_lists = find_file(tree, "CMakeLists.txt");
  SURETY_CHECK(cmake_lists != nullptr);
  Paths paths(tree);
  for (const auto& [main, program] : parse_modules(*cmake_lists).programs) paths.reach(main);
  std::vector<Finding> findings;
  for (const std::string& path : paths.not_reached()) {
    findings.push_back(
        {path, 0, "reach", "no program needs it; move it to test/support or bench, or delete it"});
  }
  return findings;
}

}  // namespace surety::lint
