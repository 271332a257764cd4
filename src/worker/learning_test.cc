#include "worker/operations/learning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/fake_host_test.h"

namespace surety::worker {
namespace learning_test {

using ::testing::Each;

// A task that returns the slopes of the dual for the work that was learned before.
class SlopingTask final : public AddingTask {
 public:
  Result<learn::LocalResult> compute(const learn::LocalWork& work, const learn::Model&,
                                     std::map<ChunkId, data::Chunk>&, std::span<float>,
                                     const std::atomic<bool>&) override {
    learn::LocalResult done;
    if (work.line_search && work.continues) done.slopes.fill(3);
    return done;
  }
};

// CoCoA, asynchronous: a worker that is late at a merge point gets a last piece without items.
TEST(Learning, ALastPieceWithoutItemsHasTheSlopesOfWhatWasLearnedBefore) {
  FakeHost host;
  State state;
  state.task = std::make_unique<SlopingTask>();
  const learn::Model model = state.task->initial_model();
  proto::Step order;
  order.set_line_search(true);
  order.set_compute_s_max(1);
  const LearningCall call{.items = {}, .model = model, .continues = true, .is_end = true};
  const std::atomic<bool> stop{false};
  Learned learned;
  ASSERT_TRUE(call_learning(order, call, state, host, {.stop = stop}, learned));
  EXPECT_THAT(learned.result.slopes, Each(3));
}

}  // namespace learning_test
}  // namespace surety::worker
