// Tests of the small types of base: ids, checks, time, checksums, bytes in memory, visitors.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/checksum.h"
#include "base/ids.h"
#include "base/overloaded.h"
#include "base/time.h"
#include "test/support/base/memory_source.h"

namespace surety {
namespace small_types_test {

TEST(Id, OfOneKindIsNoIdOfAnotherAndNoNumber) {
  static_assert(!std::is_convertible_v<WorkerId, ChunkId>);
  static_assert(!std::is_convertible_v<WorkerId, std::uint32_t>);
  static_assert(!std::is_convertible_v<std::uint32_t, WorkerId>);
  EXPECT_LT(WorkerId{1}, WorkerId{2});
  EXPECT_EQ(fmt::format("{}", ChunkId{7}), "7");
}

TEST(Check, FailureStopsTheProgramAndNamesThePlace) {
  SURETY_CHECK(1 + 1 == 2);
  EXPECT_DEATH(SURETY_CHECK(1 + 1 == 3), "small_types_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3");
}

TEST(Time, SecondsGoThereAndBack) {
  EXPECT_EQ(to_seconds(from_seconds(1.5)), 1.5);
  EXPECT_EQ(from_seconds(0.25), std::chrono::milliseconds(250));
  EXPECT_EQ(Time(std::chrono::seconds(3)) - Time(std::chrono::seconds(1)), from_seconds(2));
}

TEST(Checksum, IsTheXxh3OfItsBytes) {
  // The published XXH3_64bits of no bytes: later versions must be able to read old journals.
  EXPECT_EQ(checksum({}), 0x2d06800538d394c2u);
}

TEST(Checksum, OneBitChangesIt) {
  std::vector<float> values(1000, 1.0f);
  const std::uint64_t before = checksum_of<float>(values);
  values[500] = 1.0000001f;
  EXPECT_NE(checksum_of<float>(values), before);
}

TEST(MemorySource, ReadsInPiecesToTheEndAndThenNothing) {
  MemorySource source("here", {std::byte{1}, std::byte{2}, std::byte{3}});
  std::vector<std::byte> buffer(2);
  EXPECT_EQ(source.read(buffer).value(), 2u);
  EXPECT_EQ(buffer[1], std::byte{2});
  EXPECT_EQ(source.read(buffer).value(), 1u);
  EXPECT_EQ(buffer[0], std::byte{3});
  EXPECT_EQ(source.read(buffer).value(), 0u);
  EXPECT_EQ(source.name(), "here");
}

TEST(Overloaded, TheFunctionOfTheTypeIsCalled) {
  const std::variant<int, std::string> number = 3;
  const std::variant<int, std::string> text = std::string("ab");
  const Overloaded size_of{[](int value) { return value; },
                           [](const std::string& value) { return static_cast<int>(value.size()); }};
  EXPECT_EQ(std::visit(size_of, number), 3);
  EXPECT_EQ(std::visit(size_of, text), 2);
}

}  // namespace small_types_test
}  // namespace surety
