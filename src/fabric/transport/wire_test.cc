#include "fabric/transport/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "fabric/transport/little_endian.h"

namespace surety::fabric {
namespace wire_test {

using ::testing::HasSubstr;

constexpr std::uint64_t kBytesMax = 1000;

const FrameHeader kMessage{.kind = FrameKind::kMessage,
                           .sequence = 0x0102030405060708,
                           .tag = {.round = 11, .sender = 12, .step = 13},
                           .payload_bytes = kBytesMax,
                           .payload_checksum = 0xffeeddccbbaa9988};

// The encoded header with one byte changed and a corrected checksum.
FrameHeaderBytes with_byte(const FrameHeader& header, std::size_t at, std::uint8_t value) {
  auto bytes = encode_frame(header);
  bytes[at] = static_cast<std::byte>(value);
  const std::uint64_t sum = checksum(std::span(bytes).first(kFrameHeaderBytes - 8));
  store_little_endian(sum, std::span(bytes).last(8));
  return bytes;
}

std::string refusal(std::span<const std::byte> bytes) {
  const auto header = decode_frame(bytes, kBytesMax);
  return header ? "accepted" : header.error().message;
}

TEST(Wire, WhatIsEncodedIsDecoded) {
  EXPECT_EQ(decode_frame(encode_frame(kMessage), kBytesMax).value(), kMessage);
}

TEST(Wire, BytesAreLittleEndianAtTheirPlaces) {
  const auto bytes = encode_frame(kMessage);
  EXPECT_EQ(bytes[0], std::byte{'S'});
  EXPECT_EQ(bytes[3], std::byte{'Y'});
  EXPECT_EQ(bytes[8], std::byte{0x08});
  EXPECT_EQ(bytes[15], std::byte{0x01});
  EXPECT_EQ(bytes[24], std::byte{12});
  EXPECT_EQ(bytes[40], std::byte{0x88});
}

TEST(Wire, AnySingleFlippedBitIsRefused) {
  for (std::size_t bit = 0; bit < 8 * kFrameHeaderBytes; ++bit) {
    auto bytes = encode_frame(kMessage);
    bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_FALSE(decode_frame(bytes, kBytesMax)) << bit;
  }
}

TEST(Wire, EachFieldIsCheckedByItself) {
  EXPECT_THAT(refusal(with_byte(kMessage, 0, 'X')), HasSubstr("magic"));
  EXPECT_THAT(refusal(with_byte(kMessage, 4, 9)), HasSubstr("version 9, expected 1"));
  EXPECT_THAT(refusal(with_byte(kMessage, 6, 3)), HasSubstr("kind 3"));
  EXPECT_THAT(refusal(with_byte(kMessage, 32, 0xe9)),
              HasSubstr("announces 1001 bytes, but at most 1000"));
  EXPECT_THAT(refusal(with_byte(kMessage, 6, 1)), HasSubstr("a Hello of 1000 bytes"));
}

TEST(Wire, AnyOtherLengthIsRefused) {
  const auto bytes = encode_frame(kMessage);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THAT(refusal(std::span(bytes).first(n)), HasSubstr("expected 56"));
  }
}

}  // namespace wire_test
}  // namespace surety::fabric
