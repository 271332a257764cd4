// Tests of LocalWork::enough: when it returns true, a task ends after a first part of its samples.
#include <gmock/gmock.h>

#include "learn/linear/glm_cluster_test.h"

namespace surety::learn {
namespace enough_test {

TEST(Enough, AGlmEndsWithWholeChunksAndTheirDualsAlone) {
  Problem problem = table("svm", 1000, 5, 100);
  Chunks chunks;
  for (data::Chunk& chunk : problem.chunks) chunks.emplace(chunk.range.id, chunk);
  const auto task = make_glm_task(problem.options).value();
  Model model = task->initial_model();
  const std::atomic<bool> never{false};
  LocalWork work = whole_chunks(chunks, 0, 2);
  int asked = 0;
  work.enough = [&] { return ++asked == 3; };
  std::vector<float> update(5);
  std::vector<double> sums(5, 0.0);
  const LocalResult ended = task->compute(work, model, chunks, update, never).value();
  EXPECT_EQ(ended.samples, 300u);
  task->commit(chunks);
  int begun = 0;
  for (const auto& [id, chunk] : chunks) begun += chunk.state.empty() ? 0 : 1;
  EXPECT_EQ(begun, 3);
  // w = A alpha holds for the part that was done.
  ASSERT_TRUE(task->add_dual_sums(chunks, sums));
  for (std::size_t f = 0; f < 5; ++f) EXPECT_NEAR(update[f], sums[f], 1e-5);
}

}  // namespace enough_test
}  // namespace surety::learn
