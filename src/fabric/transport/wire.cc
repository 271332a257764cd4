#include "fabric/transport/wire.h"

#include <concepts>

#include "base/check.h"
#include "base/checksum.h"
#include "fabric/transport/little_endian.h"

namespace surety::fabric {
namespace {

constexpr std::uint32_t kMagic = 0x59545253;  // "SRTY" as bytes in memory order.
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kCheckedBytes = kFrameHeaderBytes - sizeof(std::uint64_t);

class Writer {
 public:
  explicit Writer(std::span<std::byte> to) : to_(to) {}
  template <std::unsigned_integral T>
  void put(T value) {
    store_little_endian(value, to_);
    to_ = to_.subspan(sizeof(T));
  }

 private:
  std::span<std::byte> to_;  // The part that is still to be written.
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : from_(from) {}
  template <std::unsigned_integral T>
  T get() {
    const T value = load_little_endian<T>(from_);
    from_ = from_.subspan(sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> from_;  // The part that is still to be read.
};

}  // namespace

FrameHeaderBytes encode_frame(const FrameHeader& header) {
  FrameHeaderBytes bytes{};
  Writer writer(bytes);
  writer.put(kMagic);
  writer.put(kVersion);
  writer.put(static_cast<std::uint16_t>(header.kind));
  writer.put(header.sequence);
  writer.put(header.tag.round);
  writer.put(header.tag.sender);
  writer.put(header.tag.step);
  writer.put(header.payload_bytes);
  writer.put(header.payload_checksum);
  writer.put(checksum(std::span(bytes).first(kCheckedBytes)));
  return bytes;
}

Result<FrameHeader> decode_frame(std::span<const std::byte> bytes,
                                 std::uint64_t payload_bytes_max) {
  if (bytes.size() != kFrameHeaderBytes) {
    return fail(ErrorCode::kCorrupt, "frame header: found {} bytes, expected {}", bytes.size(),
                kFrameHeaderBytes);
  }
  Reader reader(bytes);
  if (const auto magic = reader.get<std::uint32_t>(); magic != kMagic) {
    return fail(ErrorCode::kCorrupt, "frame header: found magic {:#x}, expected {:#x}", magic,
                kMagic);
  }
  if (const auto version = reader.get<std::uint16_t>(); version != kVersion) {
    return fail(ErrorCode::kCorrupt, "frame header: found version {}, expected {}", version,
                kVersion);
  }
  const auto kind = reader.get<std::uint16_t>();
  FrameHeader header{.kind = static_cast<FrameKind>(kind)};
  header.sequence = reader.get<std::uint64_t>();
  header.tag.round = reader.get<std::uint64_t>();
  header.tag.sender = reader.get<std::uint32_t>();
  header.tag.step = reader.get<std::uint32_t>();
  header.payload_bytes = reader.get<std::uint64_t>();
  header.payload_checksum = reader.get<std::uint64_t>();
  if (reader.get<std::uint64_t>() != checksum(bytes.first(kCheckedBytes))) {
    return fail(ErrorCode::kCorrupt, "frame header: wrong checksum");
  }
  if (header.kind != FrameKind::kHello && header.kind != FrameKind::kMessage) {
    return fail(ErrorCode::kCorrupt, "frame header: found kind {}, expected 1 or 2", kind);
  }
  if (header.payload_bytes > payload_bytes_max) {
    return fail(ErrorCode::kCorrupt,
                "frame header: announces {} bytes, but at most {} are accepted",
                header.payload_bytes, payload_bytes_max);
  }
  if (header.kind == FrameKind::kHello && header.payload_bytes != 0) {
    return fail(ErrorCode::kCorrupt, "frame header: found a Hello of {} bytes, expected none",
                header.payload_bytes);
  }
  return header;
}

}  // namespace surety::fabric
