// The scheduler's state; internal to scheduler*.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fabric/scheduler/block_rotation.h"
#include "fabric/scheduler/order.h"
#include "fabric/scheduler/scheduler.h"

namespace surety::fabric {

struct Scheduler::State {
  // A model that a worker pulled: the version that each block had when its round started.
  struct Model {
    PullNumber number = 0;
    std::vector<std::uint64_t> versions{};
  };

  struct Pending {  // An update of a worker.
    UpdateId id{};
    ItemId item{};
    BlockMask committed = 0;
    bool has_started = false;
    std::vector<std::uint64_t> read{};  // Versions that it was computed from, by block.
    double read_mean = 0;
    std::uint64_t arrival = 0;
  };

  struct Host {
    bool is_worker = false;
    bool is_retired = false;
    // PushReady adds it; it is removed with its last block, by a drop, or with its host.
    std::optional<Pending> update{};
    std::optional<ItemId> pull{};
    Model pulling{};
    std::vector<Model> models{};  // The newest few, in ascending order.
    PullNumber pulls = 0;
  };

  struct Round {
    Direction direction = Direction::kPush;
    std::uint32_t speed_class = 0;
    std::uint32_t block = 0;
    std::vector<ItemId> items{};
    // takes_part: all hosts whose loss ends the round.
    std::vector<HostId> members{};
    std::vector<HostId> takes_part{};
    std::vector<Load> loads{};
    std::vector<Share> owners{};
    double bytes_per_s = 0;  // Planned rate of the block.
    Time started{};
    Time check_at{};
    bool is_aborting = false;
  };

  struct Lane {  // A speed class in one direction.
    std::optional<RoundId> round{};
    // Set while it has work but cannot start because the network is busy.
    std::optional<Time> waiting_since{};
    std::uint64_t last_start = 0;
  };

  struct Side {  // One direction of transfer.
    BlockRotation rotation;
    std::vector<Lane> lanes;
  };

  explicit State(SchedulerOptions given);

  [[nodiscard]] Side& side(Direction direction) {
    return direction == Direction::kPush ? push : pull;
  }
  [[nodiscard]] std::uint32_t class_of(HostId host, Direction direction) const;

  // ---- events (scheduler.cc) ----
  void on(const Join& join);
  void on(const Retire& retire);
  void on(const PushReady& ready);
  void on(const PullRequest& request);
  void on(const RoundCommitted& committed);
  void on(const RoundAborted& aborted);
  void on(const Progress& progress);
  void on(const Tick& tick);
  void on(const HostSuspect& suspect);

  void lose(HostId host);
  void end_item(Direction direction, ItemId item, std::uint32_t block, bool done);
  void end_round(RoundId id, bool done);
  void finish_update(Host& host);
  void finish_pull(HostId id);
  void drop(Host& host, BlockMask blocks, Explanation why);
  void release_pulls();
  void start_pull(HostId id);
  void place_owners();
  void move_block(std::uint32_t block);

  // ---- rounds (scheduler_rounds.cc) ----
  void decide(Direction direction);
  [[nodiscard]] bool try_start(Direction direction, std::uint32_t speed_class);
  [[nodiscard]] std::optional<std::uint32_t> choose(Direction direction, std::uint32_t speed_class,
                                                    std::vector<ItemId>& members);
  void drop_stale(std::uint32_t speed_class);
  void drop_stale_block(std::uint32_t block, std::vector<ItemId>& members);
  void limit(std::vector<ItemId>& members);
  [[nodiscard]] std::int64_t slack(const Host& host) const;
  void keep_reachable(Direction direction, std::vector<ItemId>& members) const;
  [[nodiscard]] std::vector<HostId> hosts_of(Direction direction,
                                             const std::vector<ItemId>& members);
  [[nodiscard]] std::vector<Share> owners() const;
  [[nodiscard]] GroupTransfer transfer_of(Direction direction, std::span<const HostId> members,
                                          std::span<const Share> owners) const;
  [[nodiscard]] bool is_worth_waiting(const Lane& lane, const GroupTransfer& transfer,
                                      const std::optional<SharePlan>& plan);
  void start(Round round, SharePlan plan);
  void announce(RoundId id, const Round& round, SharePlan plan);
  void check_slow_rounds();
  void check_round(RoundId id, Round& round);
  void abort(RoundId id, Round& round, Explanation why);

  SchedulerOptions options;
  Cluster cluster;
  SharePlanner planner;
  Quorum quorum;
  DropGuard guard;
  // Updates that were requested to be pushed: a request may come twice.
  ExactlyOnce seen;
  Side push;
  Side pull;

  Time now{};
  std::vector<Host> hosts;        // Hosts by id.
  std::map<RoundId, Round> live;  // start() adds, end_round() removes.
  // Version of each block: the number of updates committed to it.
  std::vector<std::uint64_t> versions;
  std::uint32_t epoch = 1;  // Epoch of the owners.
  // Owner epoch of each block; a block with one older than `epoch` must still be moved.
  std::vector<std::uint32_t> epochs;
  std::vector<HostId> may_own;
  // Time when owners were last changed.
  std::optional<Time> placed_at;
  std::uint64_t committed = 0;  // Sum of `versions`.
  // Rate of committed updates, decaying over two seconds.
  double commits_per_s = 0;
  Time commits_at{};
  RoundId last_round = 0;
  std::uint64_t starts = 0;
  std::uint64_t arrivals = 0;
  double reserved_most = 0;  // See Scheduler::reserved_most().
  bool release_due = false;
  bool decide_push = false;
  bool decide_pull = false;
  std::vector<Action> actions;  // Actions of the current step.
};

}  // namespace surety::fabric
