// The two sides of a port.
#pragma once

#include <cstdint>

#include "fabric/network/shares.h"
#include "fabric/network/types.h"

namespace surety::fabric {

enum class PortSide : std::uint8_t { kOut, kIn };
inline constexpr PortSide kPortSides[] = {PortSide::kOut, PortSide::kIn};

// The side of a member's own port that a transfer in this direction loads.
[[nodiscard]] constexpr PortSide side_of(Direction direction) {
  return direction == Direction::kPush ? PortSide::kOut : PortSide::kIn;
}
[[nodiscard]] inline double& rate_of(Port& port, PortSide side) {
  return side == PortSide::kOut ? port.out_bytes_per_s : port.in_bytes_per_s;
}
[[nodiscard]] inline double rate_of(const Port& port, PortSide side) {
  return side == PortSide::kOut ? port.out_bytes_per_s : port.in_bytes_per_s;
}

}  // namespace surety::fabric
