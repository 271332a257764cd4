// Where the thread that learns and the thread that moves bytes meet, in an asynchronous iteration:
// updates go over it one way, models the other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "learn/local_replica.h"
#include "learn/local_work.h"
#include "learn/merge_turns.h"

namespace surety::runtime {

class UpdateDesk {
 public:
  struct Update {
    std::vector<float> values;
    std::uint32_t steps = 0;
  };
  struct Answer {
    std::vector<float> model;
    std::vector<std::pair<std::size_t, std::size_t>> dropped;
  };

  // `wake`: called by the learning thread when there is an update.
  UpdateDesk(const learn::MergeOptions& options, learn::LocalReplica replica,
             std::function<void()> wake)
      : turns_(options), replica_(std::move(replica)), wake_(std::move(wake)) {}

  // The learning thread, as LocalWork::merge. Unavailable: close() was called.
  [[nodiscard]] Result<void> merge(const learn::MergePoint& point);

  // The other thread.
  [[nodiscard]] std::optional<Update> take_update();
  void answer(Answer answer);
  void close();  // Nobody waits any more.

  // What the learning thread has learned up to this local model, whatever became of it
  // (LocalReplica::learned()). REQUIRES: that thread has ended.
  [[nodiscard]] std::vector<float> learned(std::span<const float> parameters) const {
    return replica_.learned(parameters);
  }

 private:
  [[nodiscard]] bool answered();
  [[nodiscard]] Result<void> wait();
  void adopt(const learn::MergePoint& point);
  void send(const learn::MergePoint& point);

  learn::MergeTurns turns_;  // The learning thread's, as is the replica.
  learn::LocalReplica replica_;
  const std::function<void()> wake_;

  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  std::optional<Update> update_;
  std::optional<Answer> answer_;
  bool closed_ = false;
};

}  // namespace surety::runtime
