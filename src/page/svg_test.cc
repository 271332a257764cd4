#include "page/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::page {
namespace svg_test {

using ::testing::HasSubstr;
using ::testing::Not;

// The SVG of a canvas 400 pixels wide, over the values 0 to 100, with two labelled vertical lines.
std::string drawn_at(double first, double second) {
  Canvas canvas({.width = 400, .height = 200}, "id", "chart", "Title", "Description");
  canvas.set_x(0, 100);
  canvas.set_y(0, 1, false);
  canvas.vertical(first, "first", "switch");
  canvas.vertical(second, "second", "switch");
  return canvas.finish();
}

TEST(Svg, ALabelThatWouldLieOnAnotherShowsOnHoveringOnly) {
  EXPECT_THAT(drawn_at(10, 60), HasSubstr(">second</text>"));
  EXPECT_THAT(drawn_at(10, 11), Not(HasSubstr(">second</text>")));
  EXPECT_THAT(drawn_at(10, 11), HasSubstr("<title>second</title>"));
  EXPECT_THAT(drawn_at(10, 11), HasSubstr(">first</text>"));
}

TEST(Svg, TextOfAPageIsAsPlainAsThatOfATerminal) {
  EXPECT_EQ(escape("a\x1b\xc2\x9b\u202e<b>\n\"c\"\x7f"), "a??????&lt;b&gt;\n&quot;c&quot;?");
  EXPECT_EQ(escape("loss \u2264 0.5"), "loss \u2264 0.5");
}

}  // namespace svg_test
}  // namespace surety::page
