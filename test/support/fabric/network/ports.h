// Ports of hosts for tests.
#pragma once

#include <cstdint>

#include "fabric/network/port.h"

namespace surety::fabric {

// The hosts 0 to `count` - 1, whose ports have the same rates.
inline HostPorts equal_ports(std::uint32_t count, const Port& port) {
  HostPorts hosts;
  for (std::uint32_t id = 0; id < count; ++id) hosts[HostId{id}] = port;
  return hosts;
}

}  // namespace surety::fabric
