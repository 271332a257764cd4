// What is decided about a simulated worker process when it starts.
#pragma once

#include <cstdint>
#include <string>

#include "sim/network/network.h"

namespace surety::sim {

struct ProcessStart {
  std::uint32_t number = 0;
  HostIndex host = 0;
  std::string type;
  double speed = 1;
  bool local = false;  // A coordinator started it.
};

}  // namespace surety::sim
