#include "lint/circles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "lint/modules.h"

namespace surety::lint {
namespace {

constexpr const char* kCircles = "circles";
constexpr std::string_view kBelow = "src/";

// The includes of each file. All files are named by their paths below src/ without endings.
using Includes = std::map<std::string, std::set<std::string>>;

// "a/x" for "a/x.cc" and "a/x.h".
std::string plain_name(std::string_view path) {
  return std::string(path.substr(0, path.rfind('.')));
}

Includes includes_in(const SourceTree& tree) {
  Includes includes;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() || !file.path.starts_with(kBelow)) continue;
    const std::string name = plain_name(std::string_view(file.path).substr(kBelow.size()));
    std::set<std::string>& included = includes[name];
    for (const Include& include : quoted_includes(file)) included.insert(plain_name(include.path));
    included.erase(name);
  }
  return includes;
}

// Removes all files that are not in a circle and whose includes do not lead to a circle.
void drop_ends(Includes& includes) {
  bool dropped = true;
  while (dropped) {
    for (auto& [name, included] : includes) {
      std::erase_if(included, [&](const std::string& one) { return !includes.contains(one); });
    }
    dropped = std::erase_if(includes, [](const auto& file) { return file.second.empty(); }) > 0;
  }
}

// A shortest path of includes from the file back to itself, with both ends; empty if there is none.
std::vector<std::string> circle_through(const Includes& includes, const std::string& start) {
  std::map<std::string, std::string> reached_from;
  std::deque<std::string> queue{start};
  while (!queue.empty() && !reached_from.contains(start)) {
    const std::string name = queue.front();
    queue.pop_front();
    for (const std::string& included : includes.at(name)) {
      if (reached_from.emplace(included, name).second) queue.push_back(included);
    }
  }
  if (!reached_from.contains(start)) return {};
  std::vector<std::string> circle{start};
  do {
    circle.push_back(reached_from.at(circle.back()));
  } while (circle.back() != start);
  std::reverse(circle.begin(), circle.end());
  return circle;
}

}  // namespace

std::vector<Finding> check_circles(const SourceTree& tree) {
  Includes includes = includes_in(tree);
  drop_ends(includes);
  std::vector<Finding> findings;
  std::set<std::string> reported;
  for (const auto& [name, included] : includes) {
    if (reported.contains(name)) continue;
    const std::vector<std::string> circle = circle_through(includes, name);
    if (circle.empty()) continue;
    reported.insert(circle.begin(), circle.end());
    const std::string path = std::string(kBelow) + name;
    findings.push_back(
        {path + (find_file(tree, path + ".h") ? ".h" : ".cc"), 0, kCircles,
         fmt::format("includes itself: {}; move what they share to a file of its own",
                     fmt::join(circle, " -> "))});
  }
  return findings;
}

}  // namespace surety::lint
