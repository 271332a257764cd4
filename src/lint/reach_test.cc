#include "lint/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace reach_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Text {
  const char* path;
  const char* text;
};

// A tree whose program has the main file src/cli/main.cc.
std::vector<std::string> reach_of(const std::vector<Text>& files, const char* list = "") {
  SourceTree tree;
  tree.files.push_back(make_file(
      "CMakeLists.txt", "surety_module(cli)\nsurety_program(p MAIN src/cli/main.cc DEPS cli)\n"));
  tree.files.push_back(make_file(kReachList, list));
  for (const Text& file : files) tree.files.push_back(make_file(file.path, file.text));
  return texts(check_reach(tree));
}

constexpr Text kMain{"src/cli/main.cc", "#include \"a/x.h\"\n"};

TEST(Reach, WhatAProgramIncludesIsNeeded) {
  EXPECT_THAT(reach_of({kMain, {"src/a/x.h", "#include \"b/y.h\"\n"}, {"src/b/y.h", ""}}),
              IsEmpty());
}

TEST(Reach, SourceOfANeededHeaderIsNeededAndSoIsWhatItIncludes) {
  EXPECT_THAT(reach_of({kMain,
                        {"src/a/x.h", ""},
                        {"src/a/x.cc", "#include \"a/x.h\"\n#include \"b/y.h\"\n"},
                        {"src/b/y.h", ""}}),
              IsEmpty());
}

TEST(Reach, SourceWithoutAHeaderOfItsNameImplementsThoseOfItsFolder) {
  EXPECT_THAT(reach_of({kMain,
                        {"src/a/x.h", ""},
                        {"src/a/x_parts.cc", "#include \"a/x.h\"\n#include \"a/y.h\"\n"},
                        {"src/a/y.h", ""}}),
              IsEmpty());
  EXPECT_THAT(reach_of({kMain, {"src/a/x.h", ""}, {"src/b/parts.cc", "#include \"a/x.h\"\n"}}),
              ElementsAre(HasSubstr("src/b/parts.cc:1: reach: only tests or benchmarks need it")));
}

TEST(Reach, WhatOnlyTestsAndBenchmarksIncludeIsReported) {
  EXPECT_THAT(reach_of({kMain,
                        {"src/a/x.h", ""},
                        {"src/a/y.h", "#include \"a/x.h\"\n"},
                        {"src/a/y.cc", "#include \"a/y.h\"\n"},
                        {"src/a/x_test.cc", "#include \"a/y.h\"\n"},
                        {"bench/a/main.cc", "#include \"a/y.h\"\n"}}),
              ElementsAre(HasSubstr("only tests or benchmarks need it")));
}

TEST(Reach, TestsAndWhatIsNamedAsTheirsAreLeftAlone) {
  EXPECT_THAT(reach_of({{"src/a/x_test.cc", ""},
                        {"src/a/x_testing.h", ""},
                        {"src/a/x_fuzz.cc", ""},
                        {"bench/a/y.h", ""}}),
              IsEmpty());
}

TEST(Reach, ListedFileHasAReason) {
  EXPECT_THAT(reach_of({{"src/a/y.h", ""}, {"src/a/y.cc", "#include \"a/y.h\"\n"}},
                       "src/a/y  # bench/a compares with it\n"),
              IsEmpty());
  EXPECT_THAT(reach_of({{"src/a/y.h", ""}}, "src/a/y\n"),
              ElementsAre("src/lint/unreached.txt:1: reach: src/a/y has no reason"));
}

TEST(Reach, ListedFileThatIsNeededOrGoneLeavesTheList) {
  EXPECT_THAT(
      reach_of({kMain, {"src/a/x.h", ""}}, "src/a/x  # why\nsrc/a/z  # why\n"),
      ElementsAre("src/lint/unreached.txt:1: reach: a program needs src/a/x; remove it from "
                  "the list",
                  "src/lint/unreached.txt:2: reach: src/a/z is not there; remove it from "
                  "the list"));
}

}  // namespace reach_test
}  // namespace surety::lint
