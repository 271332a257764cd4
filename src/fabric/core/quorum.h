// When waiting workers get a new model: the training modes are one rule with different numbers.
//
// A round trip is push, wait, pull. The wait ends when q updates have been finished since the last
// release: q = n is synchronous, 0 asynchronous, and between them lies K-batch asynchronous
// training (K-async of Dutta et al. 2018). Bounded staleness (stale synchronous parallel, Ho et al.
// 2013) lets a worker go on while it is at most s updates ahead of the slowest.
//
// Nobody waits for ever: whoever waits in a batch has finished an update in it, so that when all
// wait it is full.
//
// With overlap a worker does not wait at all but computes on, up to H local steps, and folds the
// unsent work into its next update: local SGD with as many steps as the network makes it wait.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "fabric/core/types.h"

namespace surety::fabric {

enum class TrainMode : std::uint8_t { kAsync, kBoundedStaleness, kBatch, kSync };
[[nodiscard]] const char* name_of(TrainMode mode);

struct QuorumOptions {
  TrainMode mode = TrainMode::kAsync;
  std::uint32_t batch = 1;  // kBatch: q; more than there are workers means all of them.
  std::uint64_t ahead = 0;  // kBoundedStaleness: s, in updates.
};

class Quorum {
 public:
  explicit Quorum(QuorumOptions options) : options_(options) {}

  void join(HostId worker);
  void leave(HostId worker);

  // An update of this worker is done with: applied, or dropped, which counts for the worker's own
  // clock and for the quorum as well, or a rule of dropping could stop everybody.
  void finished(HostId worker);

  // The worker waits for a model. REQUIRES: it joined and does not wait.
  void wait(HostId worker);

  // Who may pull now, ascending; they no longer wait. Ask after every change. O(workers), or O(1)
  // while none waits.
  [[nodiscard]] std::vector<HostId> release();

  [[nodiscard]] std::uint32_t needed() const;  // q with the workers there are; 0: none.
  [[nodiscard]] bool waits(HostId worker) const { return waiting_.contains(worker); }

 private:
  struct Worker {
    std::uint64_t clock = 0;  // Updates finished.
    std::uint64_t batch = 0;  // That its last update was part of; 0: none yet, it waits for none.
  };
  void close_batch();

  QuorumOptions options_;
  std::map<HostId, Worker> workers_;
  std::set<HostId> waiting_;    // wait() adds, release() and leave() remove.
  std::uint64_t batch_ = 1;     // Under way; whose update was part of an earlier one may pull.
  std::uint32_t finished_ = 0;  // In it.
};

// The worker's side of overlap: how much work it may do beside what is under way.
class LocalWork {
 public:
  explicit LocalWork(std::uint32_t steps_max) : steps_max_(steps_max) {}

  [[nodiscard]] bool may_compute() const { return unsent_ < steps_max_; }
  // REQUIRES: may_compute().
  void step_done();
  // The unsent work becomes an update; the number of its steps. REQUIRES: there is some.
  [[nodiscard]] std::uint32_t seal();
  // An update was dropped: its steps are unsent again, beside what was done since.
  void fold_back(std::uint32_t steps) { unsent_ += steps; }
  [[nodiscard]] std::uint32_t unsent() const { return unsent_; }

 private:
  std::uint32_t steps_max_;
  std::uint32_t unsent_ = 0;
};

}  // namespace surety::fabric
