#include "base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace surety {
namespace nearest_test {

std::string nearest_of(std::string_view word, const std::vector<std::string>& candidates) {
  return nearest(word, candidates).value_or("(none)");
}

TEST(Nearest, EachKindOfEditCountsOne) {
  const std::vector<std::string> one{"abc"};  // Three letters allow one edit.
  EXPECT_EQ(nearest_of("abc", one), "abc");
  EXPECT_EQ(nearest_of("abx", one), "abc");
  EXPECT_EQ(nearest_of("acb", one), "abc");
  EXPECT_EQ(nearest_of("ab", one), "abc");
  EXPECT_EQ(nearest_of("bac", one), "abc");
  EXPECT_EQ(nearest_of("cba", one), "(none)");  // Two replacements are needed.
}

TEST(Nearest, AllowsAThirdOfTheWordRoundedUp) {
  const std::vector<std::string> one{"deadline"};
  EXPECT_EQ(nearest_of("dedlin", one), "deadline");    // 6 letters allow 2 edits, and 2 are needed.
  EXPECT_EQ(nearest_of("dedlxn", one), "(none)");      // 3 edits are needed, and 2 allowed.
  EXPECT_EQ(nearest_of("deadlnxy", one), "deadline");  // 8 letters allow 3 edits, and 3 are needed.
}

TEST(Nearest, PrefersTheFewestEditsAndThenTheFirst) {
  EXPECT_EQ(nearest_of("btch", {"catch", "batch"}), "batch");
  EXPECT_EQ(nearest_of("xat", {"cat", "bat"}), "cat");
}

TEST(Nearest, AnotherLetterIsNotNearToALetter) {
  EXPECT_EQ(nearest_of("z", {"a", "b", "y"}), "(none)");
  EXPECT_EQ(nearest_of("zb", {"ab"}), "ab");
}

TEST(Nearest, NothingIsNearAnEmptyWordOrAmongNone) {
  EXPECT_EQ(nearest_of("", {"a"}), "(none)");
  EXPECT_EQ(nearest_of("word", {}), "(none)");
}

}  // namespace nearest_test
}  // namespace surety
