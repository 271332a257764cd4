// Findings in their printed form, for the tests of the rules.
#pragma once

#include <string>
#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

inline std::vector<std::string> texts(const std::vector<Finding>& findings) {
  std::vector<std::string> found;
  for (const Finding& finding : findings) found.push_back(finding.text());
  return found;
}

}  // namespace surety::lint
