// The two control messages of a lane run: the planner's grant of a block, and a host's report of
// the rates of its ports. They consist of little-endian words and are checked before they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "bench/lanes/blocks.h"

namespace surety::bench {

// Values of Tag::step that mark control messages; steps of data are below 2^30
// (bench/lanes/blocks.h).
inline constexpr std::uint32_t kGrantStep = 1u << 31;
inline constexpr std::uint32_t kReportStep = kGrantStep | 1u;

struct BlockGrant {
  std::uint32_t block = 0;
  std::vector<fabric::Lane> lanes{};  // Their places are within the block.
  friend bool operator==(const BlockGrant&, const BlockGrant&) = default;
};

// Bytes per second that a port carried while it had more to carry; 0 means not measured.
struct PortSample {
  double out_bytes_per_s = 0;
  double in_bytes_per_s = 0;
  friend bool operator==(const PortSample&, const PortSample&) = default;
};

[[nodiscard]] std::vector<std::byte> encode_grant(const BlockGrant& grant);
// ENSURES: block < operation.blocks, and the lanes pass lane_error(). Corrupt: the error gives the
// reason.
[[nodiscard]] Result<BlockGrant> decode_grant(const BlockedOperation& operation,
                                              std::span<const std::byte> bytes);

// Rates are rounded down to whole bytes per second.
[[nodiscard]] std::vector<std::byte> encode_report(const PortSample& sample);
[[nodiscard]] Result<PortSample> decode_report(std::span<const std::byte> bytes);

}  // namespace surety::bench
