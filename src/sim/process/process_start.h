// The properties of a simulated worker process that are decided at its start.
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
  bool joined_by_itself = false;  // No coordinator of the run started it.
};

}  // namespace surety::sim
