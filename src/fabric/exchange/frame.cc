#include "fabric/exchange/frame.h"

#include <cstdint>

#include "base/check.h"
#include "fabric/transport/little_endian.h"

namespace surety::fabric {
namespace {

constexpr std::byte kControl{'C'};
constexpr std::byte kData{'D'};
// In data, the type is followed by the round, the part and the step, and then by the values.
constexpr std::size_t kDataHeader = 1 + 8 + 4 + 4;

}  // namespace

std::vector<std::byte> encode_control(const proto::ExchangeMessage& message) {
  std::vector<std::byte> bytes(1 + message.ByteSizeLong());
  bytes[0] = kControl;
  SURETY_CHECK(message.SerializeToArray(bytes.data() + 1, static_cast<int>(bytes.size() - 1)));
  return bytes;
}

std::vector<std::byte> encode_data(const Address& address, std::span<const std::byte> values) {
  std::vector<std::byte> bytes;
  bytes.reserve(kDataHeader + values.size());
  bytes.resize(kDataHeader);
  bytes[0] = kData;
  const std::span<std::byte> header(bytes);
  store_little_endian<std::uint64_t>(address.round, header.subspan(1, 8));
  store_little_endian<std::uint32_t>(address.part, header.subspan(9, 4));
  store_little_endian<std::uint32_t>(encode_step(address.step), header.subspan(13, 4));
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

Result<ExchangeFrame> decode_frame_of(WorkerId from, std::span<const std::byte> bytes) {
  if (bytes[0] != kData) {
    proto::ExchangeMessage message;
    const auto body = bytes.subspan(1);
    if (bytes[0] != kControl ||
        !message.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
      return fail(ErrorCode::kCorrupt, "exchange: worker {} sent {} bytes that are not a message",
                  from, bytes.size());
    }
    return message;
  }
  if (bytes.size() < kDataHeader) {
    return fail(ErrorCode::kCorrupt,
                "exchange: worker {} sent {} bytes of data, fewer than a header", from,
                bytes.size());
  }
  const auto step = load_little_endian<std::uint32_t>(bytes.subspan(13, 4));
  return DataPiece{.from = from,
                   .address = {.round = load_little_endian<std::uint64_t>(bytes.subspan(1, 8)),
                               .part = load_little_endian<std::uint32_t>(bytes.subspan(9, 4)),
                               .step = decode_step(step)},
                   .values = {bytes.begin() + kDataHeader, bytes.end()}};
}

}  // namespace surety::fabric
