#include "orchestrator/session/pass_progress.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace pass_progress_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Two workers have done these numbers of samples, the second in twice the time of the first.
Answers done(std::uint64_t first, std::uint64_t second) {
  Answers answers;
  for (const auto& [worker, samples] : {std::pair{1u, first}, std::pair{2u, second}}) {
    proto::StepDone& step = *answers[WorkerId{worker}].mutable_step_done();
    step.set_samples(samples);
    step.set_compute_s(worker);
  }
  return answers;
}

TEST(PassProgress, IterationsLastFromTheEndOfTheOneBefore) {
  PassProgress pass(3);
  pass.begin(10);
  pass.add(done(1, 1), 2, 12);
  pass.add(done(1, 1), 2, 17);
  const PassFinished finished = pass.finish(2, 18);
  EXPECT_THAT(finished.iteration_s, ElementsAre(2, 5));
  EXPECT_EQ(finished.seconds, 8);
  EXPECT_EQ(finished.pass, 4u);
  EXPECT_EQ(pass.passes(), 4u);
}

TEST(PassProgress, SamplesAreSums) {
  PassProgress pass(0);
  pass.begin(0);
  EXPECT_EQ(pass.samples(), 0u);
  pass.add(done(10, 20), 2, 1);
  pass.add(done(30, 0), 1, 2);
  pass.note_aborted();
  EXPECT_EQ(pass.samples(), 60u);
  const PassFinished finished = pass.finish(3, 2);
  EXPECT_EQ(finished.samples, 60u);
  EXPECT_EQ(finished.workers, 1u);  // The number of workers in the last iteration.
  EXPECT_EQ(finished.present, 3u);
  EXPECT_EQ(finished.again, 1u);
  EXPECT_THAT(finished.samples_per_s, ElementsAre(Pair(WorkerId{1}, 20), Pair(WorkerId{2}, 5)));
}

TEST(PassProgress, AWorkerWithoutSamplesHasNoSpeed) {
  PassProgress pass(0);
  pass.begin(0);
  pass.add(done(0, 8), 1, 1);
  EXPECT_THAT(pass.finish(1, 1).samples_per_s, ElementsAre(Pair(WorkerId{2}, 4)));
}

TEST(PassProgress, EachPassBeginsFromNothing) {
  PassProgress pass(0);
  pass.begin(0);
  pass.add(done(1, 1), 2, 1);
  (void)pass.finish(2, 1);
  pass.begin(4);
  const PassFinished finished = pass.finish(2, 5);
  EXPECT_EQ(finished.pass, 2u);
  EXPECT_EQ(finished.samples, 0u);
  EXPECT_EQ(finished.seconds, 1);
  EXPECT_THAT(finished.iteration_s, IsEmpty());
  EXPECT_THAT(finished.samples_per_s, IsEmpty());
}

}  // namespace pass_progress_test
}  // namespace surety::orchestrator
