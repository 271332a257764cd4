// What all processes of a simulated cluster share. Everything outlives them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/cluster/connections.h"
#include "sim/cluster/options.h"
#include "sim/cluster/pipes.h"
#include "sim/cluster/rounds.h"
#include "sim/cluster/storage.h"
#include "sim/cluster/trace.h"
#include "sim/cluster/watch.h"
#include "sim/network/event_queue.h"
#include "sim/network/network.h"

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
