#include "lint/lint.h"

#include <algorithm>
#include <tuple>

#include "lint/circles.h"
#include "lint/class_limits.h"
#include "lint/comments.h"
#include "lint/declarators.h"
#include "lint/dependencies.h"
#include "lint/folders.h"
#include "lint/form.h"
#include "lint/modules.h"
#include "lint/packages.h"
#include "lint/paragraphs.h"
#include "lint/purity.h"
#include "lint/reach.h"
#include "lint/standard_names.h"

namespace surety::lint {

std::vector<Finding> check_all(const SourceTree& tree) {
  std::vector<Finding> findings;
  for (std::vector<Finding>& part :
       std::vector{check_layers(tree), check_purity(tree), check_sizes(tree, {}),
                   check_headers(tree), check_packages(tree), check_paths(tree),
                   check_standard_names(tree), check_comments(tree), check_header_names(tree),
                   check_declarators(tree), check_classes(tree, {}), check_dependencies(tree),
                   check_reach(tree), check_circles(tree), check_folders(tree),
                   check_namespaces(tree), check_paragraphs(tree)}) {
    findings.insert(findings.end(), part.begin(), part.end());
  }
  std::sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.line, a.rule) < std::tie(b.file, b.line, b.rule);
  });
  return findings;
}

}  // namespace surety::lint
