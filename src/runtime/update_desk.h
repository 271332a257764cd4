// Where the thread that learns and the thread that moves bytes meet, in an asynchronous iteration:
// updates go over it one way, models the other.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "learn/local_replica.h"
#include "learn/local_work.h"

namespace surety::runtime {

struct UpdateDeskOptions {
  bool overlap = true;  // Learns on while an update is on its way; else it waits for the model.
  // Merge points that are passed while one is; then it waits. More would be work on a model that is
  // older still: the paper's local steps, H.
  std::uint32_t unsent_max = 8;
};

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
  UpdateDesk(const UpdateDeskOptions& options, learn::LocalReplica replica,
             std::function<void()> wake)
      : options_(options), replica_(std::move(replica)), wake_(std::move(wake)) {}

  // The learning thread, as LocalWork::merge. Unavailable: close() was called.
  [[nodiscard]] Result<void> merge(const learn::MergePoint& point);

  // The other thread.
  [[nodiscard]] std::optional<Update> take_update();
  void answer(Answer answer);
  void close();  // Nobody waits any more.

 private:
  [[nodiscard]] Result<void> adopt(const learn::MergePoint& point);
  void send(const learn::MergePoint& point);

  const UpdateDeskOptions options_;
  learn::LocalReplica replica_;  // The learning thread's, as are these.
  std::uint32_t unsent_ = 0, unsent_steps_ = 0;
  bool under_way_ = false, dropped_ = false;
  const std::function<void()> wake_;

  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  std::optional<Update> update_;
  std::optional<Answer> answer_;
  bool closed_ = false;
};

}  // namespace surety::runtime
