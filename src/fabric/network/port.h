// The port of a worker, and its two sides.
#pragma once

#include <cstdint>
#include <map>

#include "fabric/network/types.h"

namespace surety::fabric {

struct Port {
  double out_bytes_per_s = 0;
  double in_bytes_per_s = 0;
};

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

using WorkerPorts = std::map<WorkerId, Port>;  // The port of each worker.

}  // namespace surety::fabric
