// The messages of an exchange as bytes. A frame is either control, which is a message to or from
// the scheduler, or data, which is one piece of a round with its address and its values. The first
// byte of a frame gives the type.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "base/result.h"
#include "fabric/exchange/round_work.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {

struct DataPiece {
  WorkerId from;
  Address address{};
  std::vector<std::byte> values{};
};

using ExchangeFrame = std::variant<proto::ExchangeMessage, DataPiece>;

// These functions take O(bytes).
[[nodiscard]] std::vector<std::byte> encode_control(const proto::ExchangeMessage& message);
[[nodiscard]] std::vector<std::byte> encode_data(const Address& address,
                                                 std::span<const std::byte> values);

// Reads a frame that worker `from` sent. Corrupt: it is not a frame; the error names the worker.
// REQUIRES: bytes is not empty.
[[nodiscard]] Result<ExchangeFrame> decode_frame_of(WorkerId from,
                                                    std::span<const std::byte> bytes);

}  // namespace surety::fabric
