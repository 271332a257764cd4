#include "sim/process/processor.h"

#include <gtest/gtest.h>

#include <vector>

namespace surety::sim {
namespace processor_test {

using worker::Work;

// Each computation costs 4 s on a node of speed 1; learning has 40 samples in batches of 10.
struct World {
  struct Done {
    double at_s = 0;
    bool is_good = false;
  };
  EventQueue queue;
  Lifecycle life{queue};
  std::vector<Done> done;
  std::vector<std::uint64_t> learned;  // Samples of each computation that was carried out.
  Processor processor{queue,
                      life,
                      {.speed = 2, .batch = 10},
                      Random(1),
                      {.cost_of =
                           [](const Work& work, const Processor::ComputingSeconds& computing_s) {
                             WorkCost cost{.seconds = computing_s(4)};
                             if (work.kind == Work::Kind::kLearn) cost.samples = 40;
                             return cost;
                           },
                       .on_done =
                           [this](const Work&, const Result<void>& outcome) {
                             done.push_back({queue.now_s(), outcome.has_value()});
                           }}};

  Work work(Work::Kind kind, Result<void> outcome = {}) {
    Work work;
    work.kind = kind;
    work.run = [this, outcome](const worker::WorkLimits& limits) {
      learned.push_back(limits.samples.value_or(0));
      return outcome;
    };
    return work;
  }
  void run() {
    while (queue.run_next()) {
    }
  }
};

TEST(Processor, AWorkTakesItsTimeOnThisNode) {
  World world;
  world.processor.start(world.work(Work::Kind::kSave));
  world.run();
  ASSERT_EQ(world.done.size(), 1u);
  EXPECT_DOUBLE_EQ(world.done[0].at_s, 2);
  world.processor.set_slowness(3);
  world.processor.start(world.work(Work::Kind::kSave));
  world.run();
  EXPECT_DOUBLE_EQ(world.done.at(1).at_s, 2 + 6);
}

TEST(Processor, AReadHasItsResultOrErrorAtOnce) {
  World world;
  world.processor.start(world.work(Work::Kind::kLoad));
  EXPECT_EQ(world.learned.size(), 1u);
  EXPECT_TRUE(world.done.empty());
  world.run();
  EXPECT_EQ(world.learned.size(), 1u);
  const double began_s = world.queue.now_s();
  world.processor.start(world.work(Work::Kind::kLoad, fail(ErrorCode::kCorrupt, "damaged")));
  world.run();
  ASSERT_EQ(world.done.size(), 2u);
  EXPECT_EQ(world.done[1].at_s, began_s);
  EXPECT_FALSE(world.done[1].is_good);
}

TEST(Processor, LearningThatIsStoppedEndsWithItsBatch) {
  World world;
  Work learning = world.work(Work::Kind::kLearn);
  learning.keeps_part = true;
  world.processor.start(std::move(learning));
  // This is during the second of four batches.
  world.queue.at(0.6, [&] { world.processor.stop(); });
  world.run();
  EXPECT_EQ(world.learned, std::vector<std::uint64_t>{20});
  ASSERT_EQ(world.done.size(), 1u);
  EXPECT_NEAR(world.done[0].at_s, 1, 1e-3);
  EXPECT_TRUE(world.done[0].is_good);
}

TEST(Processor, AStopKeepsOnlyReadDataIfAPartIsNoResult) {
  for (const auto kind : {Work::Kind::kLearn, Work::Kind::kSave, Work::Kind::kEvaluate}) {
    World world;
    world.processor.start(world.work(kind));
    world.processor.stop();
    world.run();
    ASSERT_EQ(world.done.size(), 1u);
    EXPECT_EQ(world.done[0].at_s, 0);
    EXPECT_FALSE(world.done[0].is_good);
  }
  World world;
  world.processor.start(world.work(Work::Kind::kLoad));
  world.processor.stop();
  world.run();
  ASSERT_EQ(world.done.size(), 1u);
  EXPECT_TRUE(world.done[0].is_good);
}

TEST(Processor, AWorkThatEndsDuringAStallIsDoneAfterIt) {
  World world;
  world.processor.start(world.work(Work::Kind::kSave));
  world.life.stall_until(7);
  world.run();
  ASSERT_EQ(world.done.size(), 1u);
  EXPECT_EQ(world.done[0].at_s, 7);
}

}  // namespace processor_test
}  // namespace surety::sim
