// The options of a scheduler (scheduler.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "fabric/network/cluster.h"
#include "fabric/network/shares.h"
#include "fabric/scheduler/quorum.h"

namespace surety::fabric {

struct SchedulerOptions {
  std::uint32_t blocks = 32;
  double block_bytes = 1 << 20;
  // The workers, with the assumed rates of their ports. Each pushes until it retires; all
  // pull, own, aggregate and relay.
  WorkerPorts workers{};
  // The first owners, among the workers: each owns its fraction of every block. Later, those with
  // fast ports (Cluster::has_fast_port) own all blocks in equal parts.
  std::vector<Share> owners{};
  // Minimum time between changes of owners, because each change moves the model.
  Duration placement_interval_min = std::chrono::seconds(5);
  ClusterOptions cluster{};
  QuorumOptions quorum{};
  // The bound tau, in versions, is at least 1; none means no bound.
  std::optional<std::uint64_t> staleness_max{};
  // Maximum number of bytes that a round may stage at one worker.
  double aggregator_bytes = 64e6;
  // The share of a round's possible rate that is not promised to it and stays free for other
  // rounds. If all of it were promised, a worker that owns a part would stop rounds in the other
  // direction.
  double headroom = 0.15;
  // A round that could start on the free capacity waits for current ones to end if it would take
  // this many times as long as its members' ports allow, and also this many times as long as on an
  // idle network. If it started, it would keep its low rate to its end.
  double patience = 4;
};

}  // namespace surety::fabric
