// Combines the elastic policies of one training session: how much each worker computes, until when,
// and which chunks change their owner for this purpose. Each policy can be switched off, so that
// its benefit can be measured.
//
// It learns the workers' speeds from their reports, and decides three things for each iteration:
// the policy of the directory at the boundary before the iteration (elastic/ownership/directory.h),
// the number of samples for each worker, and the time after which late workers report the work that
// they have done.
//
// Pure functions of the calls made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "elastic/ownership/directory.h"
#include "elastic/policy/policies.h"
#include "elastic/policy/resize.h"
#include "elastic/policy/shares.h"
#include "elastic/policy/speed.h"

namespace surety::elastic {

struct PaceOptions {
  Policies policies{};
  // CoCoA: a worker's part of an iteration is all its samples; otherwise it is a quota.
  bool whole_passes = false;
  std::uint32_t batch = 32;
  // Average steps of each worker if the number of workers is the intended one.
  std::uint32_t local_steps = 16;
  OnResize on_resize = OnResize::kKeepBatch;
  std::uint64_t seed = 1;  // Seed of shuffling.
  // Limit of the bytes into and out of each worker at one boundary. If it is doubled, placement
  // follows speeds sooner, and an iteration may wait twice as long for its chunks.
  std::uint64_t bytes_max = 64u << 20;
  double shuffle_share = 0.05;
  CutOffOptions cut_off{};
};

class Pace {
 public:
  explicit Pace(PaceOptions options = {})
      : options_(options), resize_(options.on_resize, options.local_steps) {}

  // Sets the number of workers that local_steps is intended for. Until then it is that of the first
  // iteration. REQUIRES: workers >= 1.
  void set_reference_workers(std::uint32_t workers) { resize_.set_reference_workers(workers); }

  // A worker did the first `done` of `given` samples in `seconds` of computing. Work of far less
  // than a quota (at the end of a pass) is ignored, because it shows little about the speed.
  void observe(WorkerId worker, std::uint64_t given, std::uint64_t done, double seconds);
  void forget(WorkerId worker) { speeds_.forget(worker); }
  // Forgets all speeds, because they were measured with another model.
  void on_model_changed() { speeds_.forget_all(); }

  // Whether chunks may move although no worker joined or left.
  [[nodiscard]] bool moves_chunks() const {
    return options_.policies.rebalance || options_.policies.shuffle;
  }
  // The policy for the boundary before an iteration. `chunks`: their number. `shuffles`: this is
  // the first iteration of a pass, the `pass`th one.
  [[nodiscard]] BoundaryPolicy boundary(std::span<const WorkerId> workers, std::size_t chunks,
                                        bool shuffles, std::uint32_t pass) const;
  // Number of samples of each worker in one iteration, or in one of `parts` equal parts of it.
  // REQUIRES: workers not empty; parts >= 1.
  [[nodiscard]] std::map<WorkerId, std::uint32_t> quotas(std::span<const WorkerId> workers,
                                                         std::uint32_t parts = 1);
  // Factor on the learning rate in the iteration of the last quotas().
  [[nodiscard]] double rate() const { return rate_; }
  // The iteration of the last quotas() was committed.
  void on_committed() { resize_.on_committed(); }
  // The reaction of local SGD to the number of workers, if it has changed since the last call.
  [[nodiscard]] std::optional<std::string> take_remark();
  // Seconds of computing after which the workers with this work report; nullopt means never.
  [[nodiscard]] std::optional<double> cut_off_s(
      const std::map<WorkerId, std::vector<Work>>& work) const;

 private:
  PaceOptions options_;
  Speeds speeds_;
  Resize resize_;
  double rate_ = 1;
  std::string remark_;                        // The last remark that was taken.
  std::map<WorkerId, std::uint32_t> quotas_;  // Quotas of the last iteration.
};

}  // namespace surety::elastic
