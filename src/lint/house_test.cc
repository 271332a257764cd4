// The lint on our own tree. Tests run in the repository's root.
#include <gtest/gtest.h>

#include "lint/lint.h"

namespace surety::lint {
namespace house_test {

TEST(House, KeepsItsOwnRules) {
  const auto tree = read_tree(".");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_GT(tree->files.size(), 50u);  // The tree was really read.
  EXPECT_TRUE(find_file(*tree, "README.md"));
  EXPECT_TRUE(find_file(*tree, "docs/architecture.md"));
  std::string found;
  for (const Finding& finding : check_all(*tree)) found += finding.text() + "\n";
  EXPECT_TRUE(found.empty()) << found;
}

TEST(House, FolderThatIsNoSourceTreeIsRefused) {
  const auto tree = read_tree("src");
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::kInvalidInput);
}

}  // namespace house_test
}  // namespace surety::lint
