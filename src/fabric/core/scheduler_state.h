// What the scheduler remembers: internal to scheduler*.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fabric/core/carousel.h"
#include "fabric/core/order.h"
#include "fabric/core/scheduler.h"

namespace surety::fabric {

struct Scheduler::State {
  // A model that a worker pulled: the version of each block when its round started.
  struct Model {
    PullNumber number = 0;
    std::vector<std::uint64_t> versions{};
  };

  struct Pending {  // A worker's update.
    UpdateId id{};
    ItemId item{};
    double norm = 0;
    BlockMask committed = 0;
    bool started = false;
    std::vector<std::uint64_t> read{};  // Versions, by block.
    double read_mean = 0;
    std::uint64_t arrival = 0;
  };

  struct Host {
    bool worker = false, retired = false;
    std::optional<Pending> update{};  // PushReady adds; its last block, a drop or a loss removes.
    std::optional<ItemId> pull{};
    Model pulling{};
    std::vector<Model> models{};  // The newest few, ascending.
    PullNumber pulls = 0;
  };

  struct Round {
    Direction direction = Direction::kPush;
    std::uint32_t speed_class = 0;
    std::uint32_t block = 0;
    std::vector<ItemId> items{};
    std::vector<HostId> members{}, takes_part{};  // takes_part: whoever's loss ends the round.
    std::vector<Load> loads{};
    std::vector<Share> owners{};
    double bytes_per_s = 0;  // Planned, of block.
    double norms = 0;
    RoundReplication how = RoundReplication::kPlain;
    Time started{}, look_at{};
    bool aborting = false;
  };

  struct Lane {  // A speed class in one direction.
    std::optional<RoundId> round{};
    std::optional<Time> waiting_since{};  // It has work, but the network is taken.
    std::uint64_t last_start = 0;
  };

  struct Side {  // One direction.
    Carousel carousel;
    std::vector<Lane> lanes;
  };

  explicit State(SchedulerOptions given);

  [[nodiscard]] Side& side(Direction direction) {
    return direction == Direction::kPush ? push : pull;
  }
  [[nodiscard]] std::uint32_t class_of(HostId host, Direction direction) const;

  // Events (scheduler.cc).
  void on(const Join& join);
  void on(const Leave& leave);
  void on(const Retire& retire);
  void on(const PushReady& ready);
  void on(const PullRequest& request);
  void on(const RoundCommitted& committed);
  void on(const RoundAborted& aborted);
  void on(const Progress& progress);
  void on(const Tick& tick);
  void on(const HostSuspect& suspect);
  void on(const OwnerDown& down);
  void on(const ReplicaAck& ack);

  void lose(HostId host);
  void end_item(Direction direction, ItemId item, std::uint32_t block, bool done);
  void end_round(RoundId id, bool done, double distance);
  void finish_update(Host& host);
  void finish_pull(HostId id);
  void drop(Host& host, BlockMask blocks, Why why);
  void release_pulls(), start_pull(HostId id);
  void ship();
  void place_owners();
  void move_block(std::uint32_t block);

  // Rounds (scheduler_rounds.cc).
  void decide(Direction direction);
  [[nodiscard]] bool try_start(Direction direction, std::uint32_t speed_class);
  [[nodiscard]] std::optional<std::uint32_t> choose(Direction direction, std::uint32_t speed_class,
                                                    std::vector<ItemId>& members);
  void drop_stale(std::uint32_t speed_class);
  void drop_stale_block(std::uint32_t block, std::vector<ItemId>& members);
  void limit(std::vector<ItemId>& members);
  [[nodiscard]] std::int64_t slack(const Host& host) const;
  [[nodiscard]] double norms_of(const std::vector<ItemId>& members) const;
  void keep_reachable(Direction direction, std::vector<ItemId>& members) const;
  [[nodiscard]] std::vector<HostId> hosts_of(Direction direction,
                                             const std::vector<ItemId>& members);
  [[nodiscard]] std::vector<Share> owners_of(Direction direction, bool mirrored) const;
  [[nodiscard]] GroupTransfer transfer_of(Direction direction, std::span<const HostId> members,
                                          std::span<const Share> owners) const;
  [[nodiscard]] bool worth_waiting(const Lane& lane, const GroupTransfer& transfer,
                                   const std::optional<SharePlan>& plan);
  void start(Round round, SharePlan plan);
  void announce(RoundId id, const Round& round, SharePlan plan);
  void look_at_slow_rounds();
  void look_at(RoundId id, Round& round);
  void abort(RoundId id, Round& round, Why why);

  SchedulerOptions options;
  Cluster cluster;
  SharePlanner planner;
  Quorum quorum;
  ReplicationPolicy replication;
  DropGuard guard;
  ExactlyOnce seen;  // Updates asked for: a request may come twice.
  Side push, pull;

  Time now{};
  std::vector<Host> hosts;              // By id.
  std::map<RoundId, Round> live;        // start() adds, end_round() removes.
  std::vector<std::uint64_t> versions;  // Of blocks: (update, block)s committed.
  std::uint32_t epoch = 1;              // Of the owners.
  std::vector<std::uint32_t> epochs;    // Of blocks; older than `epoch`: still to move.
  std::vector<HostId> may_own;
  std::optional<Time> placed_at;  // Owners, last.
  std::uint64_t committed = 0;    // Their sum.
  double commits_per_s = 0;       // Of updates: decays over two seconds.
  Time commits_at{};
  RoundId last_round = 0;
  std::uint64_t starts = 0, arrivals = 0;
  double reserved_most = 0;  // See Scheduler::reserved_most().
  bool release_due = false, decide_push = false, decide_pull = false;
  std::vector<Action> actions;  // Of this step.
};

}  // namespace surety::fabric
