// The two control messages of a lane run: the planner's grant of a block, and a host's report of
// how fast its ports were. Little-endian words, checked before anything is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/lanes/lanes.h"

namespace surety::fabric {

// Which bytes of Tag::step mean control; steps of data are below 2^29 (executor.h).
inline constexpr std::uint32_t kGrantStep = 1u << 31;
inline constexpr std::uint32_t kReportStep = kGrantStep | 1u;

struct BlockGrant {
  std::uint32_t block = 0;
  std::vector<Lane> lanes{};
  friend bool operator==(const BlockGrant&, const BlockGrant&) = default;
};

// Bytes a second that a port was seen to carry while it had more to carry; 0: not seen.
struct PortSample {
  double out_bytes_per_s = 0;
  double in_bytes_per_s = 0;
  friend bool operator==(const PortSample&, const PortSample&) = default;
};

[[nodiscard]] std::vector<std::byte> encode_grant(const BlockGrant& grant);
// ENSURES: block < operation.blocks and lanes that are not misplaced(). Corrupt: says why.
[[nodiscard]] Result<BlockGrant> decode_grant(const Operation& operation,
                                              std::span<const std::byte> bytes);

// In whole bytes a second.
[[nodiscard]] std::vector<std::byte> encode_report(const PortSample& sample);
[[nodiscard]] Result<PortSample> decode_report(std::span<const std::byte> bytes);

}  // namespace surety::fabric
