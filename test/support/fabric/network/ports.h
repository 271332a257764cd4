// Ports of workers for tests.
#pragma once

#include <cstdint>

#include "fabric/network/port.h"

namespace surety::fabric {

// The workers 0 to `count` - 1, whose ports have the same rates.
inline WorkerPorts equal_ports(std::uint32_t count, const Port& port) {
  WorkerPorts workers;
  for (std::uint32_t id = 0; id < count; ++id) workers[WorkerId{id}] = port;
  return workers;
}

}  // namespace surety::fabric
