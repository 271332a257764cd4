#include "base/names.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace surety {
namespace names_test {

enum class Fruit : std::uint8_t { kApple, kPear, kPlum };
constexpr Names<Fruit, 3> kFruits = {
    {{Fruit::kApple, "apple"}, {Fruit::kPear, "pear"}, {Fruit::kPlum, "plum"}}};

TEST(Names, AValueIsReadAsItWasWritten) {
  for (const Fruit fruit : {Fruit::kApple, Fruit::kPear, Fruit::kPlum}) {
    EXPECT_EQ(value_named(kFruits, name_in(kFruits, fruit)), fruit);
  }
}

TEST(Names, NoOtherTextIsAName) {
  for (const char* text : {"", "Pear", "pears", "pea"}) {
    EXPECT_EQ(value_named(kFruits, text), std::nullopt) << text;
  }
}

TEST(Names, AnErrorListsAllNames) { EXPECT_EQ(expected_names(kFruits), "apple, pear or plum"); }

}  // namespace names_test
}  // namespace surety
