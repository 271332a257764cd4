// The fabric's scheduler: it receives events and decides what is sent next. The same core runs in
// jobs and on the simulated network of bench/fabric_sim.
//
// It combines the other parts. Transfers wait in queues: updates (update_queue.h), and models that
// workers have requested (pull_queue.h), as soon as the mode allows it (quorum.h). The speed
// classes take turns in each direction (class_turns.h). A round is planned on the capacity that
// other rounds leave free (round_planner.h, fabric/network/cluster.h), and is under way until it
// ends (live_rounds.h).
//
// A round is granted, and it ends when the owners report that it is committed. Until then the
// members stay in the round, so that no block of an update is ever in two rounds. If a block has
// several owners, the shell sends one answer for all of them. If a worker is lost, the shell
// discards the scheduler with all of its rounds, and begins a new scheduler without that worker.
//
// The choice of owners follows the port speeds (block_owners.h), because all rounds go through the
// owners and one with a slow port delays all. A block is moved before its first round under
// other owners.
//
// Deterministic: the same events at the same times give the same actions, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/network/cluster.h"
#include "fabric/scheduler/actions.h"
#include "fabric/scheduler/block_owners.h"
#include "fabric/scheduler/block_versions.h"
#include "fabric/scheduler/class_turns.h"
#include "fabric/scheduler/live_rounds.h"
#include "fabric/scheduler/options.h"
#include "fabric/scheduler/pull_queue.h"
#include "fabric/scheduler/quorum.h"
#include "fabric/scheduler/round_planner.h"
#include "fabric/scheduler/update_queue.h"

namespace surety::fabric {

class Scheduler {
 public:
  explicit Scheduler(const SchedulerOptions& options);
  // It is not movable, because its parts refer to one another.
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Handles one event and returns the actions that follow.
  // REQUIRES: time does not decrease; the events are about workers of the options; ids are as
  // described in events.h. PushReady and Retire of workers that have retired are ignored, and so is
  // RoundCommitted of rounds that have ended: the network may deliver them late. A Tick is expected
  // every 50 ms; it relaxes estimates. O(members + workers) for each round that starts, else
  // O(blocks).
  [[nodiscard]] std::vector<Action> step(Time now, const Event& event);

  // The estimated port rates.
  [[nodiscard]] Port port(WorkerId worker) const;
  // Whether no side of the worker's port is below half of the median rate of this side over all
  // ports.
  [[nodiscard]] bool has_fast_port(WorkerId worker) const { return cluster_.has_fast_port(worker); }

  // Rounds that are under way, and updates that have not ended. An exchange ends when both are 0.
  [[nodiscard]] std::size_t rounds() const { return rounds_.size(); }
  [[nodiscard]] std::size_t pending_updates() const { return updates_.rotation().size(); }

 private:
  void on(const Retire& retire);
  void on(const PushReady& ready);
  void on(const PullRequest& request);
  void on(const RateMeasured& measured);
  void on(const Tick& tick);
  void on(const RoundCommitted& committed);
  void note_finished();
  void decide(Direction direction);
  [[nodiscard]] bool try_start(Direction direction, std::uint32_t speed_class);
  [[nodiscard]] bool choose(LiveRound& round);
  void start(LiveRound round, SharePlan plan);

  const SchedulerOptions options_;
  Cluster cluster_;
  Quorum quorum_;
  BlockVersions versions_;
  BlockOwners owners_;
  UpdateQueue updates_;
  PullQueue pulls_;
  RoundPlanner planner_;
  LiveRounds rounds_;
  ClassTurns turns_[2];  // Turns by direction.
  Time now_{};
  std::vector<Action> actions_;  // Actions of the current step.
  struct Due {
    bool release = false;  // Workers that wait may be allowed to pull.
    bool push = false;     // A push may start.
    bool pull = false;     // A pull may start.
  } due_{};                // The remaining decisions of the current step.
};

}  // namespace surety::fabric
