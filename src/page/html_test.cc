#include "page/html.h"

#include <gtest/gtest.h>

namespace surety::page {
namespace html_test {

TEST(Html, ASentenceBeginsWithACapitalLetter) {
  EXPECT_EQ(sentence("two words"), "Two words");
  EXPECT_EQ(sentence("2 words"), "2 words");
  EXPECT_EQ(sentence(""), "");
}

TEST(Html, TitlesAndParagraphsAreEscapedAndBodiesAreNot) {
  EXPECT_EQ(section("a < b", paragraph("c < d")),
            "<section>\n<h2>a &lt; b</h2>\n<p class=\"text\">c &lt; d</p>\n</section>\n");
}

TEST(Html, WithoutContentThereIsNoSectionAndNoParagraph) {
  EXPECT_EQ(section("Title", ""), "");
  EXPECT_EQ(paragraph(""), "");
}

}  // namespace html_test
}  // namespace surety::page
