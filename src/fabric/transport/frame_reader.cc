#include "fabric/transport/frame_reader.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"

namespace surety::fabric {
namespace {

// The number of bytes by which a payload's memory is larger than the bytes that have arrived.
constexpr std::size_t kStepBytes = 1 << 20;

}  // namespace

std::span<std::byte> FrameReader::room() {
  if (header_filled_ < header_.size()) return std::span(header_).subspan(header_filled_);
  if (filled_ == frame_.payload.size()) {
    // The memory is reserved, so that no bytes are moved here.
    const std::uint64_t left = frame_.header.payload_bytes - filled_;
    frame_.payload.resize(filled_ + std::min<std::uint64_t>(kStepBytes, left));
  }
  return std::span(frame_.payload).subspan(filled_);
}

Result<std::optional<Frame>> FrameReader::advance(std::size_t bytes) {
  if (header_filled_ < header_.size()) {
    SURETY_CHECK(bytes > 0 && bytes <= header_.size() - header_filled_);
    header_filled_ += bytes;
    if (header_filled_ < header_.size()) return std::nullopt;
    SURETY_TRY(begin_payload());
  } else {
    SURETY_CHECK(bytes > 0 && bytes <= frame_.payload.size() - filled_);
    filled_ += bytes;
  }
  if (filled_ < frame_.header.payload_bytes) return std::nullopt;
  return finish();
}

Result<void> FrameReader::begin_payload() {
  SURETY_TRY(frame_.header, decode_frame(header_, payload_bytes_max_));
  if (frame_.header.sequence != next_) {
    return fail(ErrorCode::kCorrupt, "frame {}: expected frame {}", frame_.header.sequence, next_);
  }
  ++next_;
  filled_ = 0;
  try {
    frame_.payload = {};
    frame_.payload.reserve(frame_.header.payload_bytes);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kUnavailable, "no memory for a message of {} bytes",
                frame_.header.payload_bytes);
  }
  return {};
}

Result<std::optional<Frame>> FrameReader::finish() {
  header_filled_ = 0;
  if (checksum(frame_.payload) != frame_.header.payload_checksum) {
    return fail(ErrorCode::kCorrupt, "frame {}: the checksum of its payload is wrong",
                frame_.header.sequence);
  }
  return std::optional(std::exchange(frame_, {}));
}

}  // namespace surety::fabric
