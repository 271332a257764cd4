#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace surety {
namespace result_test {

Result<int> half_of(int value) {
  if (value % 2 != 0)
    return fail(ErrorCode::kInvalidInput, "found {}, expected an even number", value);
  return value / 2;
}

Result<void> check_even(int value) {
  SURETY_TRY(half_of(value));
  return {};
}

Result<int> quarter_of(int value) {
  SURETY_TRY(const int half, half_of(value));
  SURETY_TRY(const int quarter, half_of(half));
  return quarter;
}

TEST(SuretyTry, GoesOnWithTheValue) {
  EXPECT_EQ(quarter_of(12).value(), 3);
  EXPECT_TRUE(check_even(2));
}

TEST(SuretyTry, ReturnsTheFirstErrorUnchanged) {
  const Result<int> result = quarter_of(6);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(result.error().message, "found 3, expected an even number");
  EXPECT_FALSE(check_even(1));
}

TEST(SuretyTry, MovesWhatCannotBeCopied) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
  const auto use = [&]() -> Result<int> {
    SURETY_TRY(const auto pointer, make());
    return *pointer;
  };
  EXPECT_EQ(use().value(), 5);
}

TEST(FailIn, PutsThePlaceBeforeTheMessageAndKeepsTheCode) {
  const Error inner{ErrorCode::kUnavailable, "disk full"};
  const Result<void> result = fail_in(inner, "checkpoint {}", 7);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(result.error().message, "checkpoint 7: disk full");
}

TEST(NameOf, EveryCodeHasItsOwnName) {
  EXPECT_STREQ(name_of(ErrorCode::kInvalidInput), "invalid input");
  EXPECT_STREQ(name_of(ErrorCode::kUnavailable), "unavailable");
  EXPECT_STREQ(name_of(ErrorCode::kTimeout), "timeout");
  EXPECT_STREQ(name_of(ErrorCode::kCorrupt), "corrupt");
  EXPECT_STREQ(name_of(ErrorCode::kInfeasible), "infeasible");
}

}  // namespace result_test
}  // namespace surety
