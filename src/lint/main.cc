// surety-lint ROOT [--stats]: prints what violates a house rule in the tree at ROOT.
//
// Exit code 0 means no findings, 1 findings, and 2 that the tree cannot be read.
#include <cstdio>
#include <string_view>

#include "lint/form.h"
#include "lint/lint.h"

int main(int argc, char** argv) {
  using namespace surety::lint;
  const bool stats = argc == 3 && std::string_view(argv[2]) == "--stats";
  if (argc != 2 && !stats) {
    std::fprintf(stderr, "usage: surety-lint ROOT [--stats]\n");
    return 2;
  }
  const auto tree = read_tree(argv[1]);
  if (!tree) {
    std::fprintf(stderr, "surety-lint: %s\n", tree.error().message.c_str());
    return 2;
  }
  const std::vector<Finding> findings = check_all(*tree);
  for (const Finding& finding : findings) std::printf("%s\n", finding.text().c_str());
  if (stats) std::printf("%s", describe_sizes(*tree).c_str());
  return findings.empty() ? 0 : 1;
}
