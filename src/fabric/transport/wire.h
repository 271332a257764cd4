// The header of a frame on the wire: fixed size, little-endian, checked before any field is used.
//
//   offset  bytes
//        0      4  magic "SRTY"
//        4      2  version
//        6      2  kind
//        8      8  sequence: of the frame on its connection and direction, from 0
//       16      8  tag.round
//       24      4  tag.sender
//       28      4  tag.step
//       32      8  payload_bytes
//       40      8  checksum of the payload (XXH3)
//       48      8  checksum of bytes 0 to 47
//
// The first frame in either direction is a hello: it has no payload, and the field tag.round
// contains the secret. The fields tag.sender and tag.step contain a random number of the transport.
// Checksums protect against accidental changes. Only the lower layer protects against attackers:
// TLS, or the operating system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

enum class FrameKind : std::uint16_t { kHello = 1, kMessage = 2 };

struct FrameHeader {
  FrameKind kind = FrameKind::kMessage;
  std::uint64_t sequence = 0;
  Tag tag{};
  std::uint64_t payload_bytes = 0;
  std::uint64_t payload_checksum = 0;
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

constexpr std::size_t kFrameHeaderBytes = 56;
using FrameHeaderBytes = std::array<std::byte, kFrameHeaderBytes>;

[[nodiscard]] FrameHeaderBytes encode_frame(const FrameHeader& header);

// ENSURES: encode_frame() of the result gives the same bytes, and payload_bytes is at most
// `payload_bytes_max`, so that it may be allocated. Corrupt: the error names the wrong field.
[[nodiscard]] Result<FrameHeader> decode_frame(std::span<const std::byte> bytes,
                                               std::uint64_t payload_bytes_max);

}  // namespace surety::fabric
