// The elastic policies of one training session together: who computes how much, until when, and
// which chunks change hands for it. Each can be switched off, so that its worth can be measured.
//
// It learns the workers' speeds from what they report and answers three questions for each
// iteration: which policy the directory follows at the boundary before it (directory.h), how many
// samples each worker gets, and when those that are late report what they have.
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
#include "elastic/directory.h"
#include "elastic/policies.h"
#include "elastic/resize.h"
#include "elastic/shares.h"
#include "elastic/speed.h"

namespace surety::elastic {

struct PaceOptions {
  Policies policies{};
  bool whole_passes = false;  // CoCoA: an iteration is all that a worker has; else a quota.
  std::uint32_t batch = 32;
  std::uint32_t local_steps = 16;  // Of each worker, on average, where as many work as is meant.
  OnResize on_resize = OnResize::kKeepBatch;
  std::uint64_t seed = 1;  // Of shuffling.
  // Into and out of each worker at one boundary. Doubled, speeds are followed sooner and an
  // iteration may wait twice as long for its chunks.
  std::uint64_t bytes_max = 64u << 20;
  double shuffle_share = 0.05;
  CutOffOptions cut_off{};
};

class Pace {
 public:
  explicit Pace(PaceOptions options = {})
      : options_(options), resize_(options.on_resize, options.local_steps) {}

  // local_steps is meant for so many workers; 0: for those of the first iteration.
  void mean(std::uint32_t workers) { resize_.mean(workers); }

  // A worker did the first `done` of `given` samples in so many seconds of computing. What was far
  // less than a quota (the end of a pass) says little about speed and is ignored.
  void observe(WorkerId worker, std::uint64_t given, std::uint64_t done, double seconds);
  void forget(WorkerId worker) { speeds_.forget(worker); }
  // Speeds so far were those of another model.
  void model_changed() { speeds_.forget_all(); }

  // Whether chunks may move although nobody came or went.
  [[nodiscard]] bool moves_chunks() const {
    return options_.policies.rebalance || options_.policies.shuffle;
  }
  // For the boundary before an iteration. `chunks`: how many there are. `shuffles`: this is the
  // first iteration of a pass, the `pass`th one.
  [[nodiscard]] BoundaryPolicy boundary(std::span<const WorkerId> workers, std::size_t chunks,
                                        bool shuffles, std::uint32_t pass) const;
  // Samples of each worker in one iteration. REQUIRES: workers not empty.
  [[nodiscard]] std::map<WorkerId, std::uint32_t> quotas(std::span<const WorkerId> workers);
  // Times the learning rate, in the iteration of the last quotas(); it was committed.
  [[nodiscard]] double rate() const { return rate_; }
  void committed() { resize_.committed(); }
  // What local SGD made of the number of workers, where that has changed since the last call.
  [[nodiscard]] std::optional<std::string> take_remark();
  // Seconds of computing after which the workers that have this work report; none: never.
  [[nodiscard]] std::optional<double> cut_off_s(
      const std::map<WorkerId, std::vector<Work>>& work) const;

  [[nodiscard]] const Speeds& speeds() const { return speeds_; }

 private:
  PaceOptions options_;
  Speeds speeds_;
  Resize resize_;
  double rate_ = 1;
  std::string remark_;                        // That was taken last.
  std::map<WorkerId, std::uint32_t> quotas_;  // Of the last iteration.
};

}  // namespace surety::elastic
