// What a worker does at the merge points of an asynchronous iteration (learn/local_work.h): it
// learns, waits for the model that contains its last update, takes that model, or sends an update.
//
// One update is under way at a time. With overlap the worker learns meanwhile, for up to unsent_max
// merge points. Without overlap, and at the end, it waits. Parts of an update that were dropped are
// sent again. At the end, no update is under way and all work has been sent.
#pragma once

#include <cstdint>

namespace surety::learn {

struct MergeOptions {
  bool overlap = true;  // Learns while an update is under way; if false, waits for the model.
  // The number of merge points that the worker may pass while an update is under way; then it
  // waits. With more, it would work on an even older model. This number is that of the local steps
  // H in the paper.
  std::uint32_t unsent_max = 8;
};

enum class MergeMove : std::uint8_t {
  kLearn,  // Continue to learn: all actions of this merge point are done.
  kWait,   // Wait for the model.
  kAdopt,  // Take the model that has arrived (LocalReplica::adopt()).
  kSend,   // Send the work since the last update (LocalReplica::seal()).
};

class MergeTurns {
 public:
  explicit MergeTurns(const MergeOptions& options) : options_(options) {}

  // The worker reaches a merge point, `steps` batches after the one before.
  void arrive(std::uint32_t steps, bool last);
  // The next action. The caller carries it out and calls next() again, until the result is kLearn.
  // `answered`: the model that contains the update under way has arrived.
  [[nodiscard]] MergeMove next(bool answered) const;
  // The caller carries out kSend.
  void send();
  // The caller carries out kAdopt. `dropped`: a part of the update is not in the model.
  void adopt(bool dropped);

 private:
  MergeOptions options_;
  std::uint32_t unsent_ = 0;       // Merge points since the last update.
  bool has_unsent_steps_ = false;  // There were batches since the last update.
  bool last_ = false;
  bool under_way_ = false;
  bool dropped_ = false;
};

}  // namespace surety::learn
