// For any stream, cut at any place, the reader returns frames of the allowed size in their order,
// or an error.
#include "fabric/transport/frame_reader.h"

#include <algorithm>

#include "base/check.h"
#include "base/checksum.h"
#include "fabric/transport/little_endian.h"

using namespace surety;
using namespace surety::fabric;

namespace {

constexpr std::uint64_t kBytesMax = 1 << 12;

void read(std::span<const std::byte> stream, std::size_t step) {
  FrameReader reader(kBytesMax);
  for (std::uint64_t next = 0; !stream.empty();) {
    const std::span<std::byte> room = reader.room();
    SURETY_CHECK(!room.empty());
    const std::size_t count = std::min({room.size(), step, stream.size()});
    std::copy_n(stream.begin(), count, room.begin());
    stream = stream.subspan(count);
    const auto frame = reader.advance(count);
    if (!frame) return SURETY_CHECK(!frame.error().message.empty());
    if (!*frame) continue;
    SURETY_CHECK((*frame)->header.sequence == next++);
    SURETY_CHECK((*frame)->payload.size() <= kBytesMax);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t step = 1 + data[0];
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  read(bytes, step);
  // Mutations seldom keep checksums valid, so those of the first frame are corrected here.
  if (bytes.size() >= kFrameHeaderBytes) {
    std::vector<std::byte> mended(bytes.begin(), bytes.end());
    const auto head = std::span(mended).first(kFrameHeaderBytes);
    store_little_endian(checksum(bytes.subspan(kFrameHeaderBytes)), head.subspan(40));
    store_little_endian(std::uint64_t{bytes.size() - kFrameHeaderBytes}, head.subspan(32));
    store_little_endian(checksum(head.first(48)), head.subspan(48));
    read(mended, step);
  }
  return 0;
}
