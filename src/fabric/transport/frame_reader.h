// Cuts a stream of bytes into frames (wire.h).
//
// The bytes of a payload are written directly into the message's own memory. The memory grows only
// with the bytes that arrive, for any size in a header.
//
// Pure: room() returns the memory for the next bytes of the stream, and advance() gets the number
// of bytes that arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/transport/wire.h"

namespace surety::fabric {

struct Frame {
  FrameHeader header{};
  std::vector<std::byte> payload{};
};

class FrameReader {
 public:
  // A frame with a longer payload is refused as soon as its header has arrived.
  explicit FrameReader(std::uint64_t payload_bytes_max) : payload_bytes_max_(payload_bytes_max) {}

  // ENSURES: not empty. It is valid until advance() is called.
  [[nodiscard]] std::span<std::byte> room();

  // The first `bytes` of room() are filled now. Returns a frame if it is complete. Corrupt: the
  // header is wrong, the frame is not the next one of the stream, or its payload has a wrong
  // checksum. Unavailable: there is no memory for the payload. After an error the stream cannot be
  // read any further. REQUIRES: 0 < bytes <= room().size().
  [[nodiscard]] Result<std::optional<Frame>> advance(std::size_t bytes);

 private:
  [[nodiscard]] Result<void> begin_payload();
  [[nodiscard]] Result<std::optional<Frame>> finish();

  std::uint64_t payload_bytes_max_;
  std::uint64_t next_ = 0;  // The sequence number of the next frame.
  FrameHeaderBytes header_{};
  std::size_t header_filled_ = 0;
  Frame frame_;             // The frame whose payload arrives; its payload grows in steps.
  std::size_t filled_ = 0;  // Bytes of the payload that have arrived.
};

}  // namespace surety::fabric
