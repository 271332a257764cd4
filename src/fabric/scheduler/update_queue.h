// The updates that workers want to push, until each of their blocks is committed or dropped.
//
// Updates are dropped if they would commit beyond the bound on staleness (order.h). With a guard, a
// whole update is dropped before any byte of it is sent, and not too often in a row. Without a
// guard the bound is hard, and blocks are dropped one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/network/block_rotation.h"
#include "fabric/network/cluster.h"
#include "fabric/scheduler/actions.h"
#include "fabric/scheduler/block_versions.h"
#include "fabric/scheduler/exactly_once.h"
#include "fabric/scheduler/options.h"
#include "fabric/scheduler/order.h"

namespace surety::fabric {

// INVARIANT: a worker has at most one update here, and an update comes in at most once. UpdateDone
// follows for each update, unless its worker is lost.
class UpdateQueue {
 public:
  // `cluster` and `versions` must outlive this object.
  UpdateQueue(const SchedulerOptions& options, const Cluster& cluster,
              const BlockVersions& versions);

  // Adds an update that was computed from a model with these versions, by block. Returns false if
  // its worker has one already, or if the update came before. REQUIRES: the worker is present.
  bool add(const UpdateId& id, std::vector<std::uint64_t> read);
  // The worker is lost, and its update with it. An item in a round is removed when the round ends.
  void lose(HostId worker, std::vector<Action>& actions);
  // The update of this worker. REQUIRES: it has one.
  [[nodiscard]] const UpdateId& update_of(HostId worker) const;

  // The items: one for each update.
  [[nodiscard]] const BlockRotation& rotation() const { return rotation_; }
  // Drops the updates of a class that were not begun and are too stale. O(items of the class).
  void drop_stale(std::uint32_t speed_class, std::vector<Action>& actions);
  // Leaves those members that a round of this block may have, and drops what must not be sent.
  // `ahead`: how many updates will be committed to the block before. O(members log members).
  void select_members(std::uint32_t block, std::uint64_t ahead, std::vector<ItemId>& members,
                      std::vector<Action>& actions);
  // A round of these items starts.
  void start(std::uint32_t speed_class, std::uint32_t block, std::span<const ItemId> items);
  // The round has ended. If it was not `done`, the items still need the block.
  void end(std::uint32_t block, std::span<const ItemId> items, bool done,
           std::vector<Action>& actions);
  // Items follow the speed classes of their ports. O(items).
  void follow_ports();

  // Returns the workers whose updates have ended since the last call, in order.
  [[nodiscard]] std::vector<HostId> take_finished() { return std::exchange(finished_, {}); }

 private:
  struct Update {
    UpdateId id{};
    ItemId item{};
    BlockMask committed = 0;
    bool has_started = false;
    std::vector<std::uint64_t> read{};  // Versions that it was computed from, by block.
    double read_mean = 0;
    std::uint64_t arrival = 0;
  };
  [[nodiscard]] std::optional<Update>& of(ItemId item);
  [[nodiscard]] double transfer_s(HostId worker) const;
  [[nodiscard]] std::int64_t slack(const Update& update) const;
  void limit(std::vector<ItemId>& members, std::vector<Action>& actions);
  void drop_stale_block(std::uint32_t block, std::uint64_t ahead, std::vector<ItemId>& members,
                        std::vector<Action>& actions);
  void drop(ItemId item, BlockMask blocks, Explanation why, std::vector<Action>& actions);
  void end_item(ItemId item, std::uint32_t block, bool done, std::vector<Action>& actions);
  void finish(HostId worker, std::vector<Action>& actions);

  const SchedulerOptions options_;
  const Cluster& cluster_;
  const BlockVersions& versions_;
  BlockRotation rotation_;
  std::vector<std::optional<Update>> updates_;  // Updates by the id of the worker.
  DropGuard guard_;
  ExactlyOnce seen_;  // A request may come twice.
  std::uint64_t arrivals_ = 0;
  std::vector<HostId> finished_;
};

}  // namespace surety::fabric
