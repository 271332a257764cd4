// Tasks on real threads, for the thread sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/random.h"
#include "learn/linear/glm_task.h"

namespace surety::learn {
namespace glm_threads_posix_test {

// Starts a thread for each part in every call.
class Threads final : public Team {
 public:
  explicit Threads(std::size_t size) : size_(size) {}
  [[nodiscard]] std::size_t size() const override { return size_; }
  void run(const std::function<void(std::size_t)>& part) override {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < size_; ++i) threads.emplace_back([&part, i] { part(i); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::size_t size_;
};

constexpr std::uint32_t kFeatures = 20;
constexpr std::uint32_t kChunks = 6;
constexpr std::uint32_t kRows = 8000;  // Rows of each chunk.

std::map<ChunkId, data::Chunk> draw_chunks() {
  Random random(1);
  std::map<ChunkId, data::Chunk> chunks;
  for (std::uint32_t id = 0; id < kChunks; ++id) {
    data::Chunk& chunk = chunks[ChunkId{id}];
    chunk.range = {.id = ChunkId{id}, .source = 0, .first = id * kRows, .count = kRows, .bytes = 0};
    for (std::uint32_t row = 0; row < kRows; ++row) {
      double margin = random.normal();
      for (std::uint32_t f = 0; f < kFeatures; ++f) {
        const double x = random.normal() / 10;
        margin += f % 2 == 0 ? x : -x;
        chunk.samples.f32.push_back(static_cast<float>(x));
      }
      chunk.samples.label.push_back(margin > 0 ? 1.0f : -1.0f);
    }
  }
  return chunks;
}

struct Trained {
  std::vector<float> parameters;
  double gap = 0;
};

Trained train(std::shared_ptr<Team> team, int iterations) {
  std::map<ChunkId, data::Chunk> chunks = draw_chunks();
  const data::Schema schema{.layout = data::Layout::kDenseF32, .features = kFeatures, .classes = 2};
  const double n = kChunks * kRows;
  const auto task = make_glm_task(
      {.model = "svm", .schema = schema, .samples = kChunks * kRows, .team = std::move(team)});
  EXPECT_TRUE(task);
  LocalWork work{.iteration = 0, .pass = 0, .tasks_of_all = 1, .items = {}};
  for (const auto& [id, chunk] : chunks) work.items.push_back({id, 0, kRows});
  Model model = (*task)->initial_model();
  std::vector<float> update(kFeatures);
  const std::atomic<bool> never{false};
  for (; iterations > 0; --iterations, ++work.pass) {
    EXPECT_TRUE((*task)->compute(work, model, chunks, update, never));
    (*task)->commit(chunks);
    for (std::size_t f = 0; f < kFeatures; ++f) model.parameters[f] += update[f];
  }
  const std::vector<double> sums(model.parameters.begin(), model.parameters.end());
  const auto terms = (*task)->duality_terms(model, sums, chunks);
  EXPECT_TRUE(terms);
  return {.parameters = model.parameters, .gap = (terms->gap_sum + terms->penalty_gap) / n};
}

TEST(GlmThreads, ThreadsDoWhatTheSamePartsInTurnDo) {
  const Trained at_once = train(std::make_shared<Threads>(2), 3);
  const Trained in_turn = train(std::make_shared<SerialTeam>(2), 3);
  EXPECT_EQ(at_once.parameters, in_turn.parameters);
  EXPECT_EQ(at_once.gap, in_turn.gap);
}

TEST(GlmThreads, AsManyIterationsMakeAsSmallAGap) {
  const Trained one = train(nullptr, 5);
  const Trained two = train(std::make_shared<SerialTeam>(2), 5);
  EXPECT_NE(one.parameters, two.parameters);  // The results differ because the team took part.
  EXPECT_LT(one.gap, 1e-3);
  EXPECT_LT(two.gap, 1e-3);
  EXPECT_GE(two.gap, 0);
}

}  // namespace glm_threads_posix_test
}  // namespace surety::learn
