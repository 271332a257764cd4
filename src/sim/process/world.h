// The objects that all processes of a simulated cluster share. They outlive the processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/network/event_queue.h"
#include "sim/network/network.h"
#include "sim/process/blobs.h"
#include "sim/world/connections.h"
#include "sim/world/options.h"
#include "sim/world/pipes.h"
#include "sim/world/rounds.h"
#include "sim/world/storage.h"
#include "sim/world/trace.h"
#include "sim/world/watch.h"

namespace surety::sim {

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
  // The process has ended in this way.
  std::function<void(std::uint32_t process, const std::string& how)> on_ended;
  Blobs::Peers peers{};  // The way to other workers; the table of processes sets it.
};

}  // namespace surety::sim
