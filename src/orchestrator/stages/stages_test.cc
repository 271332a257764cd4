// Tests of the profile stage, the training stage and their sessions.
#include <gtest/gtest.h>

#include <algorithm>

#include "orchestrator/stages/profile_stage.h"
#include "orchestrator/stages/session_of_job.h"
#include "orchestrator/stages/training_stage.h"

namespace surety::orchestrator {
namespace stages_test {

job::Job job_with(std::vector<std::string> versions, std::uint32_t seeds,
                  std::vector<std::uint32_t> workers, std::vector<double> fractions) {
  job::Job job;
  job.model.versions = std::move(versions);
  job.profile.seeds = seeds;
  job.profile.workers = std::move(workers);
  job.profile.data_fractions = std::move(fractions);
  job.profile.passes = 1;
  return job;
}

std::vector<data::ChunkRange> chunks(std::uint32_t count) {
  std::vector<data::ChunkRange> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    out.push_back({.id = ChunkId{i}, .source = 0, .first = 10 * i, .count = 10, .bytes = 100});
  }
  return out;
}

PassFinished is_pass_finished(std::uint32_t pass) {
  PassFinished finished;
  finished.pass = pass;
  finished.seconds = 1;
  return finished;
}

template <typename Effect>
const Effect* find(const std::vector<StageEffect>& effects) {
  for (const StageEffect& effect : effects) {
    if (const auto* found = std::get_if<Effect>(&effect)) return found;
  }
  return nullptr;
}

TEST(ProfileRuns, AProfileThatIsCutShortHasEachVersionEquallyOften) {
  const auto runs = profile_runs(job_with({"full", "prune:0.5"}, 2, {}, {1}));
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].version, "full");
  EXPECT_EQ(runs[1].version, "prune:0.5");
  EXPECT_EQ(runs[1].seed, 1u);
  EXPECT_EQ(runs[2].seed, 2u);
}

TEST(ProfileRuns, DataFractionsAreMeasuredAtOneWorkerCountOnly) {
  const auto runs = profile_runs(job_with({"full"}, 1, {4, 2}, {1, 0.5}));
  ASSERT_EQ(runs.size(), 3u);  // 4 workers with fractions 1 and 0.5; 2 workers with fraction 1.
  EXPECT_EQ(runs[2].workers, 2u);
  EXPECT_EQ(runs[2].data_fraction, 1);
}

TEST(FractionOf, IsThatShareOfChunksTheSameForTheSameSeed) {
  const auto all = chunks(10);
  const auto half = fraction_of(all, 0.5, 3);
  EXPECT_EQ(half.size(), 5u);
  const auto again = fraction_of(all, 0.5, 3);
  for (std::size_t i = 0; i < half.size(); ++i) EXPECT_EQ(half[i].id, again[i].id);
  EXPECT_TRUE(std::is_sorted(half.begin(), half.end(),
                             [](const auto& a, const auto& b) { return a.id < b.id; }));
  EXPECT_EQ(fraction_of(all, 1, 3).size(), 10u);
  EXPECT_EQ(fraction_of(all, 0.001, 3).size(), 1u);
}

// The version changes that a run of one pass measures.
std::vector<std::string> changes_after(const std::string& version, std::uint32_t seed) {
  const job::Job job = job_with({"full", "prune:0.5", "prune:0.75"}, 1, {}, {1});
  ProfileStage stage(
      {.job = job, .schema = {}, .chunks = chunks(4)},
      {{.index = 0, .version = version, .seed = seed, .data_fraction = 1, .workers = {}}});
  EvaluationFinished evaluated;
  evaluated.sums.set_samples(10);
  evaluated.sums.set_loss_sum(10);
  const TrainerEvent begun = Begun{};
  const TrainerEvent measured = evaluated;
  const TrainerEvent passed = is_pass_finished(1);
  const TrainerEvent changed = SwitchFinished{};
  EXPECT_TRUE(find<BeginSession>(stage.next(nullptr)));
  std::vector<StageEffect> effects = stage.next(&begun);
  if (find<SwitchVersion>(effects)) effects = stage.next(&changed);
  EXPECT_TRUE(find<Measure>(effects));
  EXPECT_TRUE(find<TrainPass>(stage.next(&measured)));
  EXPECT_TRUE(find<Measure>(stage.next(&passed)));
  std::vector<std::string> changes;
  effects = stage.next(&measured);
  while (const auto* change = find<SwitchVersion>(effects)) {
    changes.push_back(change->version);
    EXPECT_TRUE(find<TrainPass>(stage.next(&changed)));
    EXPECT_TRUE(find<Measure>(stage.next(&passed)));
    effects = stage.next(&measured);
    const auto* record = find<Record>(effects);
    EXPECT_TRUE(record != nullptr && record->fact.switch_point().passes_after() == 1);
  }
  EXPECT_TRUE(find<StageDone>(effects));
  return changes;
}

TEST(ProfileStage, APrunedRunIsGrownAndTrainedForAPassAtItsEnd) {
  EXPECT_EQ(changes_after("prune:0.5", 1), std::vector<std::string>{"full"});
  EXPECT_EQ(changes_after("prune:0.5", 2), std::vector<std::string>{"full"});
}

TEST(ProfileStage, SeedsTakeTurnsWithTheVersionsThatAreGrownTo) {
  EXPECT_EQ(changes_after("prune:0.75", 1), std::vector<std::string>{"full"});
  EXPECT_EQ(changes_after("prune:0.75", 2), std::vector<std::string>{"prune:0.5"});
}

TEST(ProfileStage, NoPlanGoesOverToASmallerVersionSoNoneIsMeasured) {
  EXPECT_TRUE(changes_after("full", 1).empty());
}

plan::Moment at(double seconds) {
  return {.seconds = seconds, .seconds_left = 100, .money_left = {}};
}

TrainerEvent evaluated_event() {
  EvaluationFinished evaluated;
  evaluated.sums.set_samples(10);
  evaluated.sums.set_loss_sum(10);
  return evaluated;
}

const plan::Moment kNow{.seconds = 0, .seconds_left = 100, .money_left = {}};

TEST(ProfileStage, CutShortItStillMeasuresEachVersionOnce) {
  const job::Job job = job_with({"full", "prune:0.5"}, 2, {}, {1});
  ProfileStage stage({.job = job, .schema = {}, .chunks = chunks(4)}, profile_runs(job));
  EXPECT_EQ(stage.total(), 4u);
  (void)stage.next(nullptr);
  stage.cut_short();
  EXPECT_EQ(stage.total(), 2u);
  EXPECT_TRUE(stage.was_cut());
}

TEST(TrainingStage, TheDecisionAfterACheckpointIsMadeAgainAfterAResume) {
  plan::Plan plan;
  plan.blocks = {{.version = "full", .passes = 10, .nodes = 2}};
  plan.stop_metric = 2;  // The measured metric meets it.
  TrainingStage stage({.job = job::Job{}, .schema = {}, .chunks = chunks(4)}, plan,
                      {.pass = 3,
                       .block = 0,
                       .pass_in_block = 3,
                       .version = "full",
                       .saved = SavedModel{.path = "m", .version = "full", .checksum = 7},
                       .state_files = {}},
                      {{.block = 0, .seconds = 3, .pass_s = 1, .metric = 1, .metric_se = 0}});
  (void)stage.next(nullptr, kNow);
  const TrainerEvent begun = Begun{};
  EXPECT_TRUE(find<Measure>(stage.next(&begun, kNow)));
  EvaluationFinished evaluated;
  evaluated.sums.set_samples(10);
  evaluated.sums.set_loss_sum(10);
  const TrainerEvent measured = evaluated;
  const auto effects = stage.next(&measured, kNow);
  ASSERT_TRUE(find<StageDone>(effects));
  EXPECT_TRUE(find<StageDone>(effects)->target_met);
  EXPECT_FALSE(find<Record>(effects));  // The journal already has the pass.
}

TEST(TrainingStage, TheLastPassAllowedEndsTraining) {
  plan::Plan plan;
  plan.blocks = {{.version = "full", .passes = 10}};
  job::Job job;
  job.train.passes_max = 1;
  TrainingStage stage({.job = job, .schema = {}, .chunks = chunks(4)}, plan, {}, {});
  EvaluationFinished evaluated;
  evaluated.sums.set_samples(10);
  evaluated.sums.set_loss_sum(10);
  const TrainerEvent begun = Begun{};
  const TrainerEvent passed = is_pass_finished(1);
  const TrainerEvent measured = evaluated;
  const TrainerEvent saved = SaveFinished{"c", {}, 1, 1};
  (void)stage.next(nullptr, kNow);
  EXPECT_TRUE(find<TrainPass>(stage.next(&begun, kNow)));
  EXPECT_TRUE(find<Measure>(stage.next(&passed, kNow)));
  EXPECT_TRUE(find<SaveCheckpoint>(stage.next(&measured, kNow)));
  const auto effects = stage.next(&saved, kNow);
  ASSERT_TRUE(find<StageDone>(effects));
  EXPECT_FALSE(find<StageDone>(effects)->target_met);
}

// A stage after its first pass, with a checkpoint from second 10 to second 11.
TrainingStage saved_once(job::Job job) {
  plan::Plan plan;
  plan.blocks = {{.version = "full", .passes = 10}};
  TrainingStage stage({.job = std::move(job), .schema = {}, .chunks = chunks(4)}, plan, {}, {});
  PassFinished long_enough = is_pass_finished(1);
  long_enough.seconds = 10;
  const TrainerEvent begun = Begun{};
  const TrainerEvent passed = long_enough;
  const TrainerEvent measured = evaluated_event();
  const TrainerEvent saved = SaveFinished{"c", {}, 1, 1};
  (void)stage.next(nullptr, at(10));
  (void)stage.next(&begun, at(10));
  (void)stage.next(&passed, at(10));
  EXPECT_TRUE(find<SaveCheckpoint>(stage.next(&measured, at(10))));
  EXPECT_TRUE(find<TrainPass>(stage.next(&saved, at(11))));
  return stage;
}

TEST(TrainingStage, CheckpointsTakeAFiftiethOfTheTime) {
  TrainingStage stage = saved_once(job::Job{});
  const TrainerEvent second = is_pass_finished(2);
  const TrainerEvent third = is_pass_finished(3);
  const TrainerEvent measured = evaluated_event();
  (void)stage.next(&second, at(59.9));
  // The pause of 49 s after a checkpoint is not over.
  const auto early = stage.next(&measured, at(59.9));
  EXPECT_FALSE(find<SaveCheckpoint>(early));
  EXPECT_TRUE(find<TrainPass>(early));
  EXPECT_TRUE(find<Record>(early));  // The pass itself goes into the journal.
  (void)stage.next(&third, at(60));
  EXPECT_TRUE(find<SaveCheckpoint>(stage.next(&measured, at(60))));
}

TEST(TrainingStage, InTheFirstSecondsThereIsNoCheckpointButAtTheEnd) {
  plan::Plan plan;
  plan.blocks = {{.version = "full", .passes = 10}};
  job::Job job;
  job.train.passes_max = 2;
  TrainingStage stage({.job = job, .schema = {}, .chunks = chunks(4)}, plan, {}, {});
  PassFinished quick = is_pass_finished(1);
  quick.seconds = 2;
  const TrainerEvent begun = Begun{};
  const TrainerEvent measured = evaluated_event();
  const TrainerEvent first = quick;
  (void)stage.next(nullptr, at(10));
  (void)stage.next(&begun, at(10));
  (void)stage.next(&first, at(10));
  EXPECT_FALSE(find<SaveCheckpoint>(stage.next(&measured, at(10))));
  quick.pass = 2;
  const TrainerEvent second = quick;
  (void)stage.next(&second, at(12));
  EXPECT_TRUE(find<SaveCheckpoint>(stage.next(&measured, at(12))));
}

TEST(TrainingStage, TheEndOfTrainingHasACheckpointHoweverSoonItComes) {
  job::Job job;
  job.train.passes_max = 2;
  TrainingStage stage = saved_once(job);
  const TrainerEvent second = is_pass_finished(2);
  const TrainerEvent measured = evaluated_event();
  (void)stage.next(&second, at(11.1));
  EXPECT_TRUE(find<SaveCheckpoint>(stage.next(&measured, at(11.1))));
}

TEST(TrainingStage, ACheckpointThatShowsTheTargetIsNeverPutOff) {
  job::Job job;
  // The measured metric meets it, but the plan continues to train for a margin.
  job.promise.target = 1;
  TrainingStage stage = saved_once(job);
  const TrainerEvent second = is_pass_finished(2);
  const TrainerEvent measured = evaluated_event();
  (void)stage.next(&second, at(11.1));
  EXPECT_TRUE(find<SaveCheckpoint>(stage.next(&measured, at(11.1))));
}

TEST(TrainingStage, APassAfterWhichTheNextMayComeTooLateHasACheckpoint) {
  for (const double seconds_left : {20.0, 19.9}) {
    TrainingStage stage = saved_once(job::Job{});
    PassFinished pass = is_pass_finished(2);
    pass.seconds = 10;
    const TrainerEvent second = pass;
    const TrainerEvent measured = evaluated_event();
    plan::Moment now = at(21);
    now.seconds_left = seconds_left;
    (void)stage.next(&second, now);
    EXPECT_EQ(find<SaveCheckpoint>(stage.next(&measured, now)) != nullptr, seconds_left < 20);
  }
}

TEST(TrainingStage, IterationsLongerThanTwiceTheMedianAreSlow) {
  TrainingStage stage = saved_once(job::Job{});
  PassFinished done = is_pass_finished(2);
  done.iteration_s = {1, 1, 2, 2.1, 1};
  done.again = 1;
  const TrainerEvent second = done;
  const TrainerEvent measured = evaluated_event();
  (void)stage.next(&second, at(70));
  const auto effects = stage.next(&measured, at(70));
  ASSERT_TRUE(find<Record>(effects));
  const proto::PassDone& fact = find<Record>(effects)->fact.pass_done();
  EXPECT_EQ(fact.iterations(), 5u);
  EXPECT_EQ(fact.iterations_slow(), 1u);
  EXPECT_EQ(fact.iterations_again(), 1u);
}

}  // namespace stages_test
}  // namespace surety::orchestrator
