// What all processes of a simulated cluster share. Everything outlives them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/network/event_queue.h"
#include "sim/network/network.h"
#include "sim/world/connections.h"
#include "sim/world/options.h"
#include "sim/world/pipes.h"
#include "sim/world/rounds.h"
#include "sim/world/storage.h"
#include "sim/world/trace.h"
#include "sim/world/watch.h"

namespace surety::sim {

class ProcessTable;

struct World {
  const SimOptions& options;
  EventQueue& queue;
  Network& network;
  Trace& trace;
  Watch& watch;
  Rounds& rounds;
  Pipes& pipes;
  Checkpoints& checkpoints;
  Connections& connections;
  ProcessTable& processes;
  // The process has ended in this way.
  std::function<void(std::uint32_t process, const std::string& how)> on_ended;
};

}  // namespace surety::sim
