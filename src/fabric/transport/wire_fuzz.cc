// For any bytes, decoding either refuses them or gives a header that encodes to the same bytes.
#include <algorithm>

#include "base/check.h"
#include "base/checksum.h"
#include "fabric/transport/little_endian.h"
#include "fabric/transport/wire.h"

using namespace surety;
using namespace surety::fabric;

namespace {

void decode(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kBytesMax = 1 << 20;
  const auto header = decode_frame(bytes, kBytesMax);
  if (!header) {
    SURETY_CHECK(!header.error().message.empty());
    return;
  }
  SURETY_CHECK(header->payload_bytes <= kBytesMax);
  SURETY_CHECK(std::ranges::equal(encode_frame(*header), bytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  decode(bytes);
  // Mutations seldom keep the checksum valid, so it is corrected here in order to reach the code
  // after the check.
  if (bytes.size() == kFrameHeaderBytes) {
    FrameHeaderBytes mended{};
    std::ranges::copy(bytes, mended.begin());
    constexpr std::size_t kCheckedBytes = kFrameHeaderBytes - 8;
    const std::uint64_t sum = checksum(std::span(mended).first(kCheckedBytes));
    store_little_endian(sum, std::span(mended).subspan(kCheckedBytes));
    decode(mended);
  }
  return 0;
}
