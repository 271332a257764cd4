// A pool that is rebuilt from its journal decides as if it had run without interruption.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "orchestrator/job/fake_cluster_test.h"
#include "orchestrator/stages/pool_setup.h"
#include "orchestrator/stages/pool_stage.h"

namespace surety::orchestrator {
namespace pool_return_test {

constexpr int kPlenty = 100000;
constexpr std::size_t kAllRecords = 12;
constexpr std::size_t kEachOfLater = 5;
constexpr std::size_t kManyRecords = 60;
constexpr std::size_t kLastRecords = 2;

// The stage's first decision, in a few words.
std::string decision_of(const std::vector<StageEffect>& effects) {
  std::string out;
  for (const StageEffect& effect : effects) {
    if (const auto* record = std::get_if<Record>(&effect)) {
      if (record->fact.has_promise_stated()) out += "states the promise; ";
      if (record->fact.has_plan_chosen()) out += "refuses";
    } else if (const auto* begin = std::get_if<BeginSession>(&effect)) {
      out += begin->spec.saved ? "goes on" : "begins another";
      out += fmt::format(" with seed {}", begin->spec.task.seed());
    } else if (const auto* done = std::get_if<StageDone>(&effect)) {
      if (!out.ends_with("refuses")) out += done->target_met ? "certifies" : "gives up";
    }
  }
  return out;
}

// The decision of a pool that was never interrupted and has the passes that are not lost.
std::string undisturbed(const PoolSetup& setup, const RunState& state,
                        const plan::PoolMoment& now) {
  plan::AttemptPool pool(setup.spec);
  pool.set_untrained_metric(state.attempts.begun.front().untrained_metric());
  if (state.record.stated) pool.on_answered(plan::PoolAnswer::kStated);
  std::vector<RecordedPass> seen;
  const auto kept = [&](std::uint32_t attempt) {
    const auto found = state.attempts.checkpoints.find(attempt);
    return found == state.attempts.checkpoints.end() ? 0u : found->second.pass();
  };
  for (const RecordedPass& one : state.passes) {
    const std::uint32_t saved = kept(one.done.attempt());
    if (saved == 0 || one.done.pass() <= saved) seen.push_back(one);
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const proto::PassDone& pass = seen[i].done;
    pool.on_pass({pass.attempt() - 1, pass.variant(), pass.pass(), pass.metric(), pass.metric_se(),
                  pass.seconds() + pass.eval_seconds(), pass.workers()});
    if (i + 1 == seen.size()) break;
    plan::PoolMoment then = now;
    then.seconds_left += state.time_s - *state.training_start_s - seen[i].end_s;
    EXPECT_FALSE(pool.next(then).promised && !state.record.stated);
  }
  for (std::uint32_t a = 1; a <= pool.attempts(); ++a) {
    if (kept(a) == 0) pool.on_lost(a - 1);
  }
  pool.unload();
  const plan::PoolStep step = pool.next(now);
  std::string out = step.promised ? "states the promise; " : "";
  if (std::holds_alternative<plan::PoolRefuse>(step.action)) return out + "refuses";
  if (std::holds_alternative<plan::PoolCertify>(step.action)) return out + "certifies";
  const auto& train = std::get<plan::PoolTrain>(step.action);
  const std::uint32_t attempt = train.attempt.value_or(pool.attempts());
  return out + fmt::format("{} with seed {}", train.attempt ? "goes on" : "begins another",
                           1 + 1000003ull * attempt);
}

TEST(PoolReturn, ARunThatIsKilledAfterAnyRecordDecidesWhatItWouldHaveDecidedUndisturbed) {
  std::map<std::string, int> decisions;
  // The second target is below every curve.
  for (const auto& [target, deadline_s] : {std::pair{0.25, 200.0}, std::pair{0.05, 100.0}}) {
    JobConfig config = small_config(2);
    config.job.model.versions = {"full", "prune:0.5"};
    config.job.promise.target = target;
    config.job.promise.deadline_s = deadline_s;
    FakeCluster first = running(config);
    for (const WorkerId worker : first.alive()) first.set_seconds_per_sample(worker, 0.008);
    first.run_steps(kPlenty);
    ASSERT_TRUE(first.ended());
    const PoolSetup setup = pool_setup(config.job, config.schema, 2, std::nullopt);
    RunState state = begun(config);
    const std::vector<proto::JournalRecord>& journal = first.journal();
    const auto stops =
        std::ranges::find_if(journal, [](const auto& record) { return record.has_run_stopped(); });
    const auto last_before = static_cast<std::size_t>(stops - journal.begin());
    std::size_t number = 0;
    for (std::size_t i = 0; i < journal.size(); ++i) {
      const proto::JournalRecord& record = journal[i];
      ASSERT_TRUE(apply(state, record, config.job.cluster, config.job.promise.metric));
      if (state.phase != RunPhase::kTrain || state.attempts.begun.empty()) continue;
      if (state.stop || state.record.infeasible) break;
      // Each check replays all passes, so later records cost more. After the first records,
      // checking some of them is enough, and those just before the end, where the target is
      // certified.
      ++number;
      const bool is_checked = number <= kAllRecords ||
                              (number <= kManyRecords && number % kEachOfLater == 0) ||
                              i + kLastRecords >= last_before;
      if (!is_checked) continue;
      const PoolNow now{
          state.time_s - *state.training_start_s, {deadline_s - state.time_s, {}}, &state};
      PoolStage stage({config.job, config.schema, config.chunks, 2}, setup, state);
      std::string decision = decision_of(stage.next(nullptr, now));
      if (decision.starts_with("goes on")) {  // The model to certify is loaded first.
        const TrainerEvent loaded = Begun{};
        const std::string then = decision_of(stage.next(&loaded, now));
        if (then == "certifies") decision = then;
      }
      EXPECT_EQ(decision, undisturbed(setup, state, now.left)) << record.ShortDebugString();
      ++decisions[decision.substr(0, decision.find(" with"))];
    }
  }
  // Each of these decisions occurred.
  EXPECT_GT(decisions["goes on"], 0);
  EXPECT_GT(decisions["begins another"], 0);
  EXPECT_GT(decisions["certifies"], 0);
}

// A run that is killed after any record of its journal continues from there.
TEST(JobPool, ARunGoesOnAfterAnyRecordOfItsJournal) {
  JobConfig config = small_config(2);
  config.job.promise.target = 0.25;
  FakeCluster first = running(config);
  first.run_steps(kPlenty);
  ASSERT_TRUE(first.ended());
  for (std::size_t kept = 0; kept < first.journal().size(); ++kept) {
    RunState state = begun(config);
    for (std::size_t i = 0; i < kept; ++i) {
      ASSERT_TRUE(apply(state, first.journal()[i], config.job.cluster, config.job.promise.metric));
    }
    // The second cluster's disk has no checkpoints, so attempts that would continue begin anew.
    if (state.end || state.stop) continue;
    FakeCluster second = next_coordinator(config, state);
    second.run_steps(kPlenty);
    ASSERT_TRUE(second.ended()) << "after record " << kept;
    EXPECT_EQ(second.ended()->ending, Ending::kComplete) << second.ended()->reason;
    EXPECT_EQ(certificate::verdict(second.machine().state().record), certificate::Verdict::kKept)
        << "after record " << kept << ": " << second.ended()->reason << "; it was "
        << first.journal()[kept - 1].ShortDebugString();
  }
}

// One worker less is present, but the passes of the journal were made with variants for three.
TEST(PoolReturn, TheVariantsAreThoseOfTheJournal) {
  JobConfig config = small_config(3);
  config.job.cluster.workers_min = 1;
  config.job.promise.target = 0.2;
  FakeCluster first = running(config, 3);
  while (first.machine().state().passes.size() < 2) first.run_steps(1);
  RunState state = first.machine().state();
  ASSERT_EQ(state.attempts.begun.front().workers(), 3u);
  FakeCluster second = next_coordinator(config, state);
  second.pass_time(config.job.promise.deadline_s / 4 + 1);
  second.run_steps(kPlenty);
  ASSERT_TRUE(second.ended());
  int began = 0;
  for (const proto::JournalRecord& record : second.journal()) {
    if (!record.has_attempt_began()) continue;
    ++began;
    EXPECT_EQ(record.attempt_began().workers(), 3u);
  }
  EXPECT_GT(began, 0);
}

}  // namespace pool_return_test
}  // namespace surety::orchestrator
