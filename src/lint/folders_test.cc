#include "lint/folders.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace folders_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SourceTree with_files(int count, const std::string& ending) {
  SourceTree tree;
  for (int i = 0; i < count; ++i) {
    tree.files.push_back(make_file(fmt::format("src/a/x{}{}", i, ending), ""));
  }
  return tree;
}

TEST(Folders, MoreThanThirtyFiveFilesAreTooMany) {
  EXPECT_THAT(check_folders(with_files(35, ".h")), IsEmpty());
  EXPECT_THAT(texts(check_folders(with_files(36, ".h"))),
              ElementsAre(HasSubstr("src/a:1: folders: 36 files")));
}

TEST(Folders, TestsDoNotCount) {
  EXPECT_THAT(check_folders(with_files(99, "_test.cc")), IsEmpty());
}

std::vector<std::string> namespaces_in(const std::string& path, const std::string& text) {
  SourceTree tree;
  tree.files.push_back(make_file(path, text));
  return texts(check_namespaces(tree));
}

TEST(Namespaces, AHeaderBelongsToTheNamespaceOfItsFolderBelowSrc) {
  EXPECT_THAT(namespaces_in("src/plan/laws/x.h", "namespace surety::plan {\n"), IsEmpty());
  EXPECT_THAT(namespaces_in("src/plan/laws/x.h", "\nnamespace surety::fabric {\n"),
              ElementsAre("src/plan/laws/x.h:2: namespaces: expected surety::plan, after the "
                          "folder"));
}

TEST(Namespaces, SomeFoldersHaveTheirOwn) {
  EXPECT_THAT(namespaces_in("src/base/x.h", "namespace surety {\n"), IsEmpty());
  EXPECT_THAT(namespaces_in("src/base/posix/net/x.h", "namespace surety::posix {\n"), IsEmpty());
  EXPECT_THAT(namespaces_in("src/plan/check/x.h", "namespace surety::plan {\n"),
              ElementsAre(HasSubstr("expected surety::plan::check")));
}

TEST(Namespaces, ClassesOfOthersMayBeDeclared) {
  EXPECT_THAT(namespaces_in("src/plan/x.h",
                            "namespace surety::proto {\nclass P;\n}\nnamespace surety::plan {\n"),
              IsEmpty());
}

}  // namespace folders_test
}  // namespace surety::lint
