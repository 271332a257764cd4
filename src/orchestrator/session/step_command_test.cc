#include "orchestrator/session/step_command.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace step_command_test {

using ::testing::ElementsAre;

// The facts of a step with two members.
StepFacts facts() {
  StepFacts facts{.iteration = 9, .pass = 2, .pass_samples = 100, .pass_done = 0.5};
  for (const std::uint32_t worker : {1u, 2u}) facts.members.emplace_back().set_worker(worker);
  return facts;
}

// The first worker has 30 samples of two chunks, the second 10 of one chunk.
WorkByWorker work() {
  return {{WorkerId{1}, {{ChunkId{0}, 1, 0, 10}, {ChunkId{1}, 1, 0, 20}}},
          {WorkerId{2}, {{ChunkId{2}, 1, 0, 10}}}};
}

SessionSpec cocoa() {
  SessionSpec spec;
  spec.cocoa = true;
  return spec;
}

TEST(StepCommand, LocalSgdAveragesBySamples) {
  const proto::Step step = step_of({}, facts(), work());
  EXPECT_TRUE(step.averages());
  EXPECT_THAT(step.weights(), ElementsAre(0.75f, 0.25f));
  EXPECT_EQ(step.iteration(), 9u);
  EXPECT_EQ(step.pass(), 2u);
  EXPECT_EQ(step.members_size(), 2);
}

TEST(StepCommand, CocoaAddsThePartsOfWorkersWithWork) {
  WorkByWorker of_one = work();
  of_one.erase(WorkerId{1});
  const proto::Step step = step_of(cocoa(), facts(), of_one);
  EXPECT_FALSE(step.averages());
  EXPECT_THAT(step.weights(), ElementsAre(0.0f, 1.0f));
}

TEST(StepCommand, AWorkerHasAtMostAsManyTasksAsChunks) {
  SessionSpec spec = cocoa();
  spec.tasks_per_node = 2;
  spec.line_search = true;
  EXPECT_EQ(step_of(spec, facts(), work()).tasks(), 3u);
  EXPECT_TRUE(step_of(spec, facts(), work()).line_search());
  WorkByWorker of_one = work();
  of_one.erase(WorkerId{1});
  EXPECT_EQ(step_of(spec, facts(), of_one).tasks(), 1u);
  EXPECT_FALSE(step_of(spec, facts(), of_one).line_search());  // Nothing is summed.
}

TEST(StepCommand, TheAverageOfModelsCoversTheSamplesOfTheStep) {
  SessionSpec spec;
  EXPECT_FALSE(step_of(spec, facts(), work()).has_average());
  spec.average_passes = 3;
  const proto::AverageTurn average = step_of(spec, facts(), work()).average();
  EXPECT_EQ(average.passes(), 3);
  EXPECT_EQ(average.begin(), 2.5);
  EXPECT_EQ(average.end(), 2.9);
}

TEST(StepCommand, ALoneWorkerNeverExchanges) {
  SessionSpec spec;
  spec.mode.mode = job::TrainMode::kAsync;
  EXPECT_TRUE(step_of(spec, facts(), work()).has_asynchronous());
  StepFacts alone = facts();
  alone.members.resize(1);
  EXPECT_FALSE(step_of(spec, alone, {{WorkerId{1}, {}}}).has_asynchronous());
}

TEST(StepCommand, ASumIsOverAllMembersWithoutWork) {
  SessionSpec spec = cocoa();
  spec.line_search = true;
  const proto::Step step = sum_again(spec, facts());
  EXPECT_TRUE(step.resum());
  EXPECT_THAT(step.weights(), ElementsAre(1.0f, 1.0f));
  EXPECT_FALSE(step.averages());
  EXPECT_FALSE(step.line_search());
  EXPECT_EQ(step.tasks(), 0u);
}

}  // namespace step_command_test
}  // namespace surety::orchestrator
