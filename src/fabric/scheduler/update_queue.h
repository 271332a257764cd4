// The updates that workers want to push, until each of their blocks is committed or dropped.
//
// Updates are dropped if they would commit beyond the bound on staleness (drops.h): before any byte
// of them is sent, and not twice in a row.
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
#include "fabric/scheduler/drops.h"
#include "fabric/scheduler/options.h"

namespace surety::fabric {

// INVARIANT: a worker has at most one update in the queue. UpdateDone follows for each update.
class UpdateQueue {
 public:
  // `cluster` and `versions` must outlive this object.
  UpdateQueue(const SchedulerOptions& options, const Cluster& cluster,
              const BlockVersions& versions);

  // Adds an update that was computed from a model with these versions, by block. Returns false if
  // its worker already has one.
  bool add(const UpdateId& id, std::span<const std::uint64_t> read);

  // The items: one for each update.
  [[nodiscard]] const BlockRotation& rotation() const { return rotation_; }
  // Drops the updates of a class that were not begun and are too stale. O(items of the class).
  void drop_stale(std::uint32_t speed_class, std::vector<Action>& actions);
  // A round of these items starts.
  void start(std::uint32_t speed_class, std::uint32_t block, std::span<const ItemId> items);
  // The round is committed.
  void end(std::uint32_t block, std::span<const ItemId> items, std::vector<Action>& actions);
  // Items follow the speed classes of their ports. O(items).
  void follow_ports();

  // Returns the workers whose updates have ended since the last call, in order.
  [[nodiscard]] std::vector<WorkerId> take_finished() { return std::exchange(finished_, {}); }

 private:
  struct Update {
    UpdateId id{};
    ItemId item{};
    bool has_started = false;
    std::uint64_t read_sum = 0;  // Sum of the versions that it was computed from, over blocks.
  };
  [[nodiscard]] Update& of(ItemId item);
  [[nodiscard]] std::int64_t slack(const Update& update) const;
  void drop(const Update& update, std::vector<Action>& actions);
  void end_item(ItemId item, std::vector<Action>& actions);
  void finish(WorkerId worker, std::vector<Action>& actions);

  const SchedulerOptions options_;
  const Cluster& cluster_;
  const BlockVersions& versions_;
  BlockRotation rotation_;
  std::vector<std::optional<Update>> updates_;  // Updates by the id of the worker.
  DropGuard guard_;
  std::vector<WorkerId> finished_;
};

}  // namespace surety::fabric
