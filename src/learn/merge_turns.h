// What a worker does at the merge points of an asynchronous iteration (learn/local_work.h): learns
// on, waits for the model that contains its last update, takes that model, or sends an update.
//
// One update is under way at a time. With overlap the worker learns on meanwhile, for so many merge
// points; without it, and at the end, it waits. What was dropped on its way goes again: at the end
// nothing is under way and nothing unsent.
#pragma once

#include <cstdint>

namespace surety::learn {

struct MergeOptions {
  bool overlap = true;  // Learns on while an update is on its way; else it waits for the model.
  // Merge points that are passed while one is; then it waits. More would be work on a model that is
  // older still: the paper's local steps, H.
  std::uint32_t unsent_max = 8;
};

enum class MergeMove : std::uint8_t {
  kLearn,  // On: the point is over.
  kWait,   // For the model.
  kAdopt,  // The model that came (LocalReplica::adopt()).
  kSend,   // What was learned since the last update (LocalReplica::seal()).
};

class MergeTurns {
 public:
  explicit MergeTurns(const MergeOptions& options) : options_(options) {}

  // At a merge point, so many batches after the one before.
  void arrive(std::uint32_t steps, bool last);
  // What to do now; carried out, it is asked again until it says kLearn. `answered`: the model with
  // the update under way is here.
  [[nodiscard]] MergeMove next(bool answered) const;
  // kSend is being carried out: how many batches the update has.
  [[nodiscard]] std::uint32_t send();
  // kAdopt is; `dropped`: a part of the update is not in the model.
  void adopt(bool dropped);

 private:
  MergeOptions options_;
  std::uint32_t unsent_ = 0, unsent_steps_ = 0;  // Points and batches since the last update.
  bool last_ = false, under_way_ = false, dropped_ = false;
};

}  // namespace surety::learn
