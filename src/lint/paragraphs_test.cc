// The rule about long paragraphs on small documents: what it reports, and what it accepts.
#include "lint/paragraphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lint/findings_testing.h"

namespace surety::lint {
namespace paragraphs_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> found_in(const std::string& text, const char* path = "docs/x.md") {
  return texts(check_paragraphs({{make_file(path, text)}}));
}

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += i == 0 ? "word" : " word";
  return text;
}

TEST(Paragraphs, EightyWordsAreAcceptedAndOneMoreIsReported) {
  EXPECT_THAT(found_in(words(80) + "\n"), IsEmpty());
  EXPECT_THAT(
      found_in("# Title\n\n" + words(81) + "\n"),
      ElementsAre(HasSubstr("docs/x.md:3: paragraphs: a paragraph of 81 words, at most 80")));
}

TEST(Paragraphs, LinesWithoutABlankLineInBetweenAreOneParagraph) {
  EXPECT_THAT(found_in(words(50) + "\n" + words(40) + "\n\n" + words(50) + "\n"),
              ElementsAre(HasSubstr("docs/x.md:1: paragraphs: a paragraph of 90 words")));
  EXPECT_THAT(found_in(words(50) + "\n\n" + words(40) + "\n"), IsEmpty());
}

TEST(Paragraphs, EachItemOfAListIsAParagraphWithItsOtherLines) {
  const std::string half = words(50);
  EXPECT_THAT(found_in("- " + half + "\n- " + half + "\n"), IsEmpty());
  EXPECT_THAT(found_in("9. " + half + "\n10. " + half + "\n"), IsEmpty());
  EXPECT_THAT(found_in("- Short.\n- " + half + "\n      " + half + "\n- Short.\n"),
              ElementsAre(HasSubstr("docs/x.md:2: paragraphs: a paragraph of 101 words")));
}

TEST(Paragraphs, HeadingsTablesAndCodeAreNotCounted) {
  const std::string long_text = words(100);
  for (const std::string& text :
       {"## " + long_text, "| " + long_text + " |", "    " + long_text,
        "```\n" + long_text + "\n\n" + long_text + "\n```", "```sh\n- " + long_text + "\n```"}) {
    EXPECT_THAT(found_in("Text.\n\n" + text + "\n\nText.\n"), IsEmpty()) << text;
  }
  EXPECT_THAT(found_in("```\ncode\n```\n" + long_text + "\n"),
              ElementsAre(HasSubstr("docs/x.md:4:")));
  EXPECT_THAT(found_in(words(41) + "\n```\n" + long_text + "\n```\n" + words(41) + "\n"),
              IsEmpty());
}

TEST(Paragraphs, OnlyMarkdownHasParagraphs) {
  EXPECT_THAT(found_in(words(100) + "\n", "scenarios/x.txt"), IsEmpty());
  EXPECT_THAT(found_in(words(100) + "\n", "README.md"),
              ElementsAre(HasSubstr("README.md:1: paragraphs")));
}

}  // namespace paragraphs_test
}  // namespace surety::lint
