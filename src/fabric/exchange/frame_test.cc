#include "fabric/exchange/frame.h"

#include <gtest/gtest.h>

namespace surety::fabric {
namespace frame_test {

constexpr WorkerId kFrom{3};

TEST(ExchangeFrame, DataComesBackWithItsAddress) {
  const Address address{
      .round = 0x0102030405060708, .part = 9, .step = {.lane = 11, .kind = TransferKind::kResult}};
  const std::vector<std::byte> values{std::byte{1}, std::byte{2}, std::byte{3}};
  const auto bytes = encode_data(address, values);
  EXPECT_EQ(bytes.size(), 17 + values.size());
  EXPECT_EQ(bytes[0], std::byte{'D'});
  EXPECT_EQ(bytes[1], std::byte{8});  // The lowest byte comes first.
  const auto frame = decode_frame_of(kFrom, bytes);
  ASSERT_TRUE(frame);
  const auto* piece = std::get_if<DataPiece>(&*frame);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(piece->from, kFrom);
  EXPECT_EQ(piece->address, address);
  EXPECT_EQ(piece->values, values);
}

TEST(ExchangeFrame, ControlComesBackAsTheMessageThatItWas) {
  proto::ExchangeMessage message;
  message.mutable_acknowledged()->set_round(12);
  const auto bytes = encode_control(message);
  EXPECT_EQ(bytes[0], std::byte{'C'});
  const auto frame = decode_frame_of(kFrom, bytes);
  ASSERT_TRUE(frame);
  const auto* found = std::get_if<proto::ExchangeMessage>(&*frame);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->SerializeAsString(), message.SerializeAsString());
}

TEST(ExchangeFrame, BytesThatAreNoFrameAreCorruptAndTheSenderIsNamed) {
  const auto error = [](std::vector<std::byte> bytes) {
    const auto frame = decode_frame_of(kFrom, bytes);
    return frame ? "" : frame.error().message;
  };
  EXPECT_EQ(error({std::byte{'X'}}), "exchange: worker 3 sent 1 bytes that are not a message");
  EXPECT_EQ(error({std::byte{'C'}, std::byte{0xff}}),
            "exchange: worker 3 sent 2 bytes that are not a message");
  std::vector<std::byte> data(16);
  data[0] = std::byte{'D'};
  EXPECT_EQ(error(data), "exchange: worker 3 sent 16 bytes of data, fewer than a header");
  data.push_back({});
  EXPECT_EQ(error(data), "");
}

}  // namespace frame_test
}  // namespace surety::fabric
