// What a worker does at the merge points of an asynchronous iteration (learn/local_work.h): it
// learns, waits for the model that contains its last update, takes that model, or sends an update.
//
// One update is under way at a time. With overlap the worker learns meanwhile, for up to unsent_max
// merge points. Without overlap, and at the end, it waits. What was dropped on its way is sent
// again: at the end nothing is under way and nothing is unsent.
#pragma once

#include <cstdint>

namespace surety::learn {

struct MergeOptions {
  bool overlap = true;  // Learns while an update is under way; if false, waits for the model.
  // Merge points passed while an update is under way; after them the worker waits. More would mean
  // work on an even older model. These are the local steps H of the paper.
  std::uint32_t unsent_max = 8;
};

enum class MergeMove : std::uint8_t {
  kLearn,  // Continue learning: nothing is left to do at this point.
  kWait,   // Wait for the model.
  kAdopt,  // Take the model that came (LocalReplica::adopt()).
  kSend,   // Send what was learned since the last update (LocalReplica::seal()).
};

class MergeTurns {
 public:
  explicit MergeTurns(const MergeOptions& options) : options_(options) {}

  // The worker reaches a merge point, `steps` batches after the one before.
  void arrive(std::uint32_t steps, bool last);
  // What to do now. The caller does it and calls next() again, until the result is kLearn.
  // `answered`: the model that contains the update under way is here.
  [[nodiscard]] MergeMove next(bool answered) const;
  // The caller carries out kSend.
  void send();
  // The caller carries out kAdopt. `dropped`: a part of the update is not in the model.
  void adopt(bool dropped);

 private:
  MergeOptions options_;
  std::uint32_t unsent_ = 0;        // Merge points since the last update.
  std::uint32_t unsent_steps_ = 0;  // Batches since the last update.
  bool last_ = false;
  bool under_way_ = false;
  bool dropped_ = false;
};

}  // namespace surety::learn
