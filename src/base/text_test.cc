#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/line_difference.h"

namespace surety {
namespace text_test {

TEST(PlainText, WhatCanBeShownStays) {
  EXPECT_EQ(plain_text("loss ≤ 0.5, \xf0\x9f\x99\x82 done", 100),
            "loss ≤ 0.5, \xf0\x9f\x99\x82 done");
}

TEST(PlainText, ControlCharactersDoNotReachATerminal) {
  EXPECT_EQ(plain_text("a\x1b[31m\nb\x7f\xc2\x9b", 100), "a?[31m?b???");
}

TEST(PlainText, BytesThatAreNoUtf8AreReplacedOneByOne) {
  EXPECT_EQ(plain_text("a\xff\xfe", 100), "a??");
  EXPECT_EQ(plain_text("\xc0\xaf", 100), "??");       // An overlong form.
  EXPECT_EQ(plain_text("\xed\xa0\x80", 100), "???");  // This is a surrogate.
  // The code is above that of the last character.
  EXPECT_EQ(plain_text("\xf4\x90\x80\x80", 100), "????");
  EXPECT_EQ(plain_text("\xe2\x89", 100), "??");  // A character that is cut off.
}

TEST(PlainText, WhatIsTooLongIsCutBetweenCharacters) {
  EXPECT_EQ(plain_text("12345", 5), "12345");
  EXPECT_EQ(plain_text("123456", 5), "12...");
  EXPECT_EQ(plain_text("1≤≤≤", 8), "1≤...");
  EXPECT_EQ(plain_text(std::string(100'000, 'x'), 4096).size(), 4096u);
  EXPECT_EQ(excerpt("short ä"), "short ä");
  EXPECT_EQ(excerpt(std::string(50'000'000, 'x')), std::string(97, 'x') + "...");
  EXPECT_EQ(excerpt(std::string(96, 'x') + "ää123"), std::string(96, 'x') + "...");
}

TEST(FirstDifference, IsTheFirstLineThatDiffers) {
  const auto at = first_difference("a\nb\nc\n", "a\nx\nc\n");
  ASSERT_TRUE(at);
  EXPECT_EQ(at->line, 2u);
  EXPECT_EQ(at->found, "b");
  EXPECT_EQ(at->expected, "x");
  EXPECT_EQ(first_difference("a\n", "a\nb\n")->expected, "b");
  EXPECT_EQ(first_difference("a\nb\n", "a\n")->expected, "");
  EXPECT_FALSE(first_difference("a\n", "a"));
}

TEST(FirstByteNotUtf8, IsFoundBehindWhatIsUtf8) {
  EXPECT_EQ(first_byte_not_utf8("plain, caf\xc3\xa9,\n\ttab and \xf0\x9f\x90\xa7"), std::nullopt);
  EXPECT_EQ(first_byte_not_utf8(""), std::nullopt);
  EXPECT_EQ(first_byte_not_utf8("caf\xe9"), 3u);
  EXPECT_EQ(first_byte_not_utf8("\xc3\xa9\xc3"), 2u);
  EXPECT_EQ(first_byte_not_utf8("a\xed\xa0\x80"), 1u);  // This is a surrogate.
}

TEST(PlainText, CharactersThatTurnTextAreNotShown) {
  EXPECT_EQ(plain_text("a\u202eb\u2066c\u200fd\u2030", 100), "a???b???c???d\u2030");
}

TEST(PlainLines, KeepLineBreaksAndNothingElseThatATerminalObeys) {
  EXPECT_EQ(plain_lines("a\x1b[31m\n\nb\r\n"), "a?[31m\n\nb?\n");
  EXPECT_EQ(plain_lines(""), "");
}

}  // namespace text_test
}  // namespace surety
