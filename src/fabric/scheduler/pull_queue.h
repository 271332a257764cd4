// The models that workers have requested and not received in full yet, and the versions of the
// newest few models that each worker has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/network/block_rotation.h"
#include "fabric/network/cluster.h"
#include "fabric/scheduler/actions.h"
#include "fabric/scheduler/block_versions.h"

namespace surety::fabric {

// INVARIANT: a worker pulls at most one model at a time, and each block of it once. A model counts
// when all of its blocks have arrived.
class PullQueue {
 public:
  // A worker computes on its newest model, and with overlap on the one before.
  static constexpr std::size_t kModelsKept = 3;

  // `cluster` and `versions` must outlive this object.
  PullQueue(std::uint32_t blocks, const Cluster& cluster, const BlockVersions& versions);

  // The worker pulls its next model. REQUIRES: it pulls none.
  void add(WorkerId worker);
  [[nodiscard]] bool is_pulling(WorkerId worker) const;

  // The versions of a model of this worker, by block: of the oldest kept model with this number or
  // a higher one; if there is none, of the newest. All are 0 if it has no model.
  [[nodiscard]] std::vector<std::uint64_t> versions_of(WorkerId worker, PullNumber model) const;

  // The items: one for each model that is being pulled.
  [[nodiscard]] const BlockRotation& rotation() const { return rotation_; }
  // A round of these items starts. They get the version that the block has now.
  void start(std::uint32_t speed_class, std::uint32_t block, std::span<const ItemId> items);
  // The round has ended; ModelReady follows for each model that is complete.
  void end(std::uint32_t block, std::span<const ItemId> items, std::vector<Action>& actions);
  // Items follow the speed classes of their ports. O(items).
  void follow_ports();

 private:
  // A model that a worker pulled: the version that each block had when its round started.
  struct Model {
    PullNumber number = 0;
    std::vector<std::uint64_t> versions{};
  };
  struct Worker {
    std::optional<ItemId> item{};
    Model pulling{};
    std::vector<Model> models{};  // Models in ascending order.
    PullNumber pulls = 0;
  };
  void end_item(ItemId item, std::vector<Action>& actions);

  const std::uint32_t blocks_;
  const Cluster& cluster_;
  const BlockVersions& versions_;
  BlockRotation rotation_;
  std::vector<Worker> workers_;  // Workers by id.
};

}  // namespace surety::fabric
