#include "lint/circles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace circles_test {

using testing::ElementsAre;
using testing::IsEmpty;

struct Text {
  const char* path;
  const char* text;
};

std::vector<std::string> circles_of(const std::vector<Text>& files) {
  SourceTree tree;
  for (const Text& file : files) tree.files.push_back(make_file(file.path, file.text));
  return texts(check_circles(tree));
}

constexpr Text kX{"src/a/x.h", "#include \"a/y.h\"\n"};

TEST(Circles, FilesInAnOrderAreFine) {
  EXPECT_THAT(circles_of({kX,
                          {"src/a/x.cc", "#include \"a/x.h\"\n#include \"a/z.h\"\n"},
                          {"src/a/y.h", "#include <vector>\n#include \"proto/p.pb.h\"\n"},
                          {"src/a/y.cc", "#include \"a/y.h\"\n"},
                          {"src/a/z.h", "#include \"a/y.h\"\n"}}),
              IsEmpty());
}

TEST(Circles, AHeaderAndItsSourceAreOneFile) {
  EXPECT_THAT(
      circles_of({kX, {"src/a/y.h", ""}, {"src/a/y.cc", "#include \"a/x.h\"\n"}}),
      ElementsAre("src/a/x.h:1: circles: includes itself: a/x -> a/y -> a/x; move what they "
                  "share to a file of its own"));
}

TEST(Circles, EachFileOfACircleIsInAReportedCircle) {
  EXPECT_THAT(
      circles_of({kX,
                  {"src/a/w.h", "#include \"a/x.h\"\n"},
                  {"src/a/y.cc", "#include \"a/z.h\"\n#include \"a/x.h\"\n"},
                  {"src/a/z.cc", "#include \"a/u.h\"\n"},
                  {"src/a/u.cc", "#include \"a/y.h\"\n"}}),
      ElementsAre("src/a/u.cc:1: circles: includes itself: a/u -> a/y -> a/z -> a/u; move "
                  "what they share to a file of its own",
                  "src/a/x.h:1: circles: includes itself: a/x -> a/y -> a/x; move what they "
                  "share to a file of its own"));
}

TEST(Circles, OnlySourcesOfProgramsAndTheirTestsAreRead) {
  EXPECT_THAT(circles_of({{"bench/a/x.h", "#include \"a/y.h\"\n"},
                          {"bench/a/y.h", "#include \"a/x.h\"\n"}}),
              IsEmpty());
}

}  // namespace circles_test
}  // namespace surety::lint
