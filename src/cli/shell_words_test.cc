#include "cli/shell_words.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace surety::cli {
namespace shell_words_test {

TEST(ShellWords, APlainWordStaysAsItIsAndAnyOtherIsQuoted) {
  EXPECT_EQ(shell_word("promise.target=0.9"), "promise.target=0.9");
  EXPECT_EQ(shell_word("dir/a file.yaml"), "'dir/a file.yaml'");
  EXPECT_EQ(shell_word("model.versions=[full]"), "'model.versions=[full]'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWords, AShellReadsEveryWordAsItWas) {
  for (const std::string word :
       {"a b", "$HOME", "`ls`", "it's", "{a: 1, b: \"x\"}", "*", "a\\b", "~"}) {
    FILE* const shell = popen(("printf %s " + shell_word(word)).c_str(), "r");
    ASSERT_NE(shell, nullptr);
    char read[100] = {};
    const std::size_t size = std::fread(read, 1, sizeof read - 1, shell);
    pclose(shell);
    EXPECT_EQ(std::string(read, size), word);
  }
}

TEST(ShellWords, EverySettingIsAnOptionOfItsOwn) {
  EXPECT_EQ(set_options({}), "");
  EXPECT_EQ(set_options({"a=1", "b=[x, y]"}), " --set a=1 --set 'b=[x, y]'");
}

}  // namespace shell_words_test
}  // namespace surety::cli
