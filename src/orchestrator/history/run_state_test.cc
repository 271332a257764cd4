#include "orchestrator/history/run_state.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/files/plan_io.h"

namespace surety::orchestrator {
namespace run_state_test {

job::NodeTypeSpec type(const std::string& name, double price_per_s) {
  job::NodeTypeSpec spec;
  spec.name = name;
  spec.price_per_s = price_per_s;
  return spec;
}

job::Job job_with(std::vector<job::NodeTypeSpec> types) {
  job::Job job;
  job.cluster.nodes = std::move(types);
  return job;
}

proto::JournalRecord joined(double at_s, std::uint32_t worker, const std::string& type) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  record.mutable_worker_joined()->set_worker(worker);
  record.mutable_worker_joined()->set_host("here");
  record.mutable_worker_joined()->set_node_type(type);
  return record;
}

proto::JournalRecord gone(double at_s, std::uint32_t worker) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  record.mutable_worker_gone()->set_worker(worker);
  record.mutable_worker_gone()->set_kind("leave");
  return record;
}

proto::JournalRecord phase(double at_s, const std::string& name) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  record.mutable_phase_began()->set_phase(name);
  return record;
}

RunState fold(const job::Job& job, const std::vector<proto::JournalRecord>& records) {
  RunState state = initial_state(job);
  for (const proto::JournalRecord& record : records) {
    EXPECT_TRUE(apply(state, record, job.cluster, job.promise.metric));
  }
  return state;
}

// Training uses all data if the plan names none.
TEST(RunState, APlanPaysForTheDataThatItNamesOrForAllOfThem) {
  job::Job job = job_with({type("local", 1)});
  job.data = {{.name = "a", .source = "digits://", .site = {}, .price = 5},
              {.name = "b", .source = "digits://", .site = {}, .price = 4}};
  const auto cost_of = [&](std::vector<std::string> names) {
    plan::Plan plan;
    plan.planner = plan::Planner::kByHand;
    plan.data = std::move(names);
    plan.blocks = {{.version = "full", .passes = 1}};
    proto::JournalRecord record;
    record.mutable_plan_chosen()->set_decision_json(plan::to_json(plan::Decision(plan)));
    return fold(job, {record}).record.data_cost;
  };
  EXPECT_EQ(cost_of({"b"}), 4);
  EXPECT_EQ(cost_of({"a", "b"}), 9);
  EXPECT_EQ(cost_of({}), 9);
}

TEST(RunState, ARefusalAfterWhichTrainingContinuesIsNoVerdict) {
  plan::Infeasible refusal;
  refusal.reason = "nothing comes near";
  refusal.target = 0.4;
  proto::JournalRecord record;
  record.set_run_s(12);
  record.mutable_promise_refused()->set_decision_json(plan::to_json(plan::Decision(refusal)));
  const RunState state = fold(job_with({}), {record});
  EXPECT_FALSE(state.record.infeasible);
  ASSERT_TRUE(state.record.refused);
  EXPECT_EQ(state.record.refused->seconds, 12);
  EXPECT_EQ(state.record.refused->refusal.target, 0.4);
}

TEST(RunState, APlanInTheRecordOfARefusalIsCorrupt) {
  proto::JournalRecord record;
  plan::Plan plan;
  plan.planner = plan::Planner::kByHand;
  plan.data = {"set"};
  plan.blocks = {{.version = "full", .passes = 1}};
  record.mutable_promise_refused()->set_decision_json(plan::to_json(plan::Decision(plan)));
  const job::Job job = job_with({});
  RunState state = initial_state(job);
  const auto applied = apply(state, record, job.cluster, job.promise.metric);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(state.record.refused);
}

TEST(RunState, EachWorkerCostsThePriceOfItsTypeWhileItIsThere) {
  const job::Job job = job_with({type("on-demand", 0.03), type("spot", 0.01)});
  const RunState state =
      fold(job, {joined(0, 1, "on-demand"), phase(10, "train"), joined(10, 2, "spot"),
                 joined(10, 3, "spot"), gone(20, 1), gone(30, 2), phase(40, "certify")});
  EXPECT_NEAR(state.record.profile_cost, 10 * 0.03, 1e-12);
  // On-demand for 10 s, one spot node for 20 s, the other for 30 s.
  EXPECT_NEAR(state.record.training_cost, 10 * 0.03 + 20 * 0.01 + 30 * 0.01, 1e-12);
}

TEST(RunState, AJournalWithoutTypesIsOfTheFirst) {
  const job::Job job = job_with({type("local", 0.5)});
  const RunState state = fold(job, {joined(0, 1, ""), phase(4, "gather")});
  EXPECT_NEAR(state.record.profile_cost, 2, 1e-12);
  EXPECT_EQ(state.record.timeline.front().text, "worker 1 joined from here (pid 0)");
}

TEST(RunState, AJoinNamesTheTypeWhereThereAreSeveral) {
  const job::Job job = job_with({type("on-demand", 1), type("spot", 1)});
  const RunState state = fold(job, {joined(0, 1, "spot")});
  EXPECT_EQ(state.record.timeline.front().text, "worker 1 (spot) joined from here (pid 0)");
}

TEST(RunState, ATypeThatTheJobHasNotIsACorruptJournal) {
  const job::Job job = job_with({type("on-demand", 1)});
  RunState state = initial_state(job);
  const auto applied = apply(state, joined(0, 1, "spot"), job.cluster, job.promise.metric);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(state.workers.present.empty());
}

proto::JournalRecord resumed(double at_s, std::uint32_t term) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  record.mutable_run_resumed()->set_term(term);
  return record;
}

TEST(RunState, EachResumeIsALaterTermOrTheJournalIsCorrupt) {
  const job::Job job = job_with({type("local", 1)});
  RunState state = fold(job, {phase(0, "gather"), resumed(1, 2), resumed(2, 3)});
  EXPECT_EQ(state.term, 3u);
  const auto applied = apply(state, resumed(3, 3), job.cluster, job.promise.metric);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
}

// The workers continued, and cost money, until the next coordinator started, which gives them new
// ids.
TEST(RunState, NothingFollowsTheEndOrTheJournalIsCorrupt) {
  const job::Job job = job_with({type("spot", 0.01)});
  proto::JournalRecord ended;
  ended.set_run_s(20);
  ended.mutable_run_ended()->set_verdict("missed");
  RunState state = fold(job, {joined(0, 1, "spot"), phase(10, "train"), ended});
  for (const proto::JournalRecord& record : {ended, phase(30, "train"), gone(30, 1)}) {
    const Result<void> applied = apply(state, record, job.cluster, job.promise.metric);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(applied.error().message, "a record after the end of the run");
  }
}

TEST(RunState, NoWorkerCostsMoneyWhileTheRunIsPaused) {
  const job::Job job = job_with({type("local", 0.5)});
  proto::JournalRecord pause;
  pause.set_run_s(4);
  pause.mutable_run_paused()->set_reason("stopped on request");
  const RunState paused = fold(job, {joined(0, 1, ""), phase(2, "train"), pause, resumed(100, 2)});
  EXPECT_NEAR(paused.record.profile_cost + paused.record.training_cost, 2, 1e-12);
  EXPECT_EQ(paused.record.run_seconds, 100);  // The clock continues to run.
  EXPECT_FALSE(paused.pause);
}

proto::JournalRecord saved(double at_s, std::uint32_t attempt, std::uint32_t pass, double metric) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  proto::CheckpointCommitted& fact = *record.mutable_checkpoint_committed();
  fact.set_folder(fmt::format("attempt-{}-pass-{}", attempt, pass));
  fact.set_attempt(attempt);
  fact.set_pass(pass);
  fact.set_metric(metric);
  return record;
}

TEST(RunState, AnAttemptWhoseCheckpointIsGivenUpGoesBackToTheOneBefore) {
  const job::Job job = job_with({type("local", 1)});
  proto::JournalRecord dropped;
  dropped.set_run_s(3);
  dropped.mutable_checkpoint_dropped()->set_folder("attempt-1-pass-3");
  const RunState state = fold(job, {saved(1, 1, 2, 0.8), saved(2, 1, 3, 0.6), dropped});
  ASSERT_TRUE(state.attempts.checkpoints.contains(1));
  EXPECT_EQ(state.attempts.checkpoints.at(1).pass(), 2u);
  ASSERT_TRUE(state.best_checkpoint);
  EXPECT_EQ(state.best_checkpoint->pass(), 2u);
}

TEST(RunState, OfTwoEqualCheckpointsTheLaterIsTheBest) {
  const job::Job job = job_with({type("local", 1)});
  const RunState state = fold(job, {saved(1, 1, 2, 0.8), saved(2, 1, 3, 0.8)});
  ASSERT_TRUE(state.best_checkpoint);
  EXPECT_EQ(state.best_checkpoint->pass(), 3u);
}

TEST(RunState, ACheckpointWhoseMetricIsNotANumberIsNeverTheBestOfTwo) {
  const job::Job job = job_with({type("local", 1)});
  const RunState state = fold(job, {saved(1, 1, 2, 0.8), saved(2, 1, 3, NAN)});
  ASSERT_TRUE(state.best_checkpoint);
  EXPECT_EQ(state.best_checkpoint->pass(), 2u);
}

TEST(RunState, AnAttemptThatHasEndedGetsNoCheckpointBack) {
  const job::Job job = job_with({type("local", 1)});
  proto::JournalRecord ended;
  proto::JournalRecord dropped;
  ended.set_run_s(3);
  ended.mutable_attempt_ended()->set_attempt(1);
  dropped.set_run_s(4);
  dropped.mutable_checkpoint_dropped()->set_folder("attempt-2-pass-1");
  const RunState state = fold(job, {saved(1, 1, 2, 0.8), saved(2, 2, 1, 0.6), ended, dropped});
  EXPECT_TRUE(state.attempts.checkpoints.empty());
}

TEST(RunState, WorkersCostUntilTheRunIsResumed) {
  const job::Job job = job_with({type("local", 0.5)});
  const RunState state = fold(job, {joined(0, 1, ""), joined(0, 2, ""), resumed(4, 2)});
  EXPECT_NEAR(state.record.profile_cost, 2 * 4 * 0.5, 1e-12);
  EXPECT_TRUE(state.workers.present.empty());
}

// They end after `cluster.wait` without a coordinator, even if the next one starts later.
TEST(RunState, WorkersOfACrashedCoordinatorCostNoLongerThanTheyWait) {
  job::Job job = job_with({type("local", 0.5)});
  job.cluster.wait_s = 100;
  const RunState state = fold(job, {joined(0, 1, ""), joined(0, 2, ""), resumed(5000, 2)});
  EXPECT_NEAR(state.record.profile_cost, 2 * 100 * 0.5, 1e-12);
  EXPECT_EQ(state.record.run_seconds, 5000);
}

TEST(RunState, AnUnknownModeIsACorruptJournal) {
  const job::Job job = job_with({type("local", 1)});
  proto::JournalRecord record;
  for (const char* mode : {"", "Run", "plan"}) {
    record.mutable_run_began()->set_mode(mode);
    RunState state = initial_state(job);
    const auto applied = apply(state, record, job.cluster, job.promise.metric);
    ASSERT_FALSE(applied.has_value()) << mode;
    EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
  }
}

TEST(RunState, AnUnknownPhaseOrWayToGoIsACorruptJournal) {
  const job::Job job = job_with({type("local", 1)});
  const auto refusal = [&](const proto::JournalRecord& record) {
    RunState state = initial_state(job);
    const auto applied = apply(state, record, job.cluster, job.promise.metric);
    return applied ? "accepted" : applied.error().message;
  };
  EXPECT_EQ(refusal(phase(0, "train")), "accepted");
  EXPECT_EQ(refusal(phase(0, "Train")),
            "phase: found Train, expected gather, profile, plan, train or certify");
  EXPECT_EQ(refusal(gone(0, 3)), "accepted");
  proto::JournalRecord dead = gone(0, 3);
  dead.mutable_worker_gone()->set_kind("dead");
  EXPECT_EQ(refusal(dead), "worker 3 is gone: found dead, expected leave or lost");
}

TEST(RunState, ASecondMeasurementOfNothingOrASecondOneIsACorruptJournal) {
  const job::Job job = job_with({type("here", 1)});
  RunState state = initial_state(job);
  proto::JournalRecord again;
  again.mutable_measured_again()->mutable_values()->set_samples(10);
  EXPECT_FALSE(apply(state, again, job.cluster, job.promise.metric));
  proto::JournalRecord certified;
  certified.mutable_certified()->set_samples(10);
  ASSERT_TRUE(apply(state, certified, job.cluster, job.promise.metric));
  ASSERT_TRUE(apply(state, again, job.cluster, job.promise.metric));
  EXPECT_TRUE(state.record.certified->again);
  EXPECT_FALSE(apply(state, again, job.cluster, job.promise.metric));
}

TEST(RunState, APhaseHasItsNameInTheTimeLine) {
  const job::Job job = job_with({type("local", 1)});
  const RunState state = fold(job, {phase(0, "gather"), phase(1, "certify")});
  EXPECT_EQ(state.phase, RunPhase::kCertify);
  EXPECT_EQ(name_of(state.phase), "certify");
  EXPECT_EQ(state.record.timeline.at(0).kind, certificate::EventKind::kPhase);
  EXPECT_EQ(state.record.timeline.at(0).text, "gather");
  EXPECT_EQ(name_of(initial_state(job).phase), "");
}

TEST(RunState, InvalidLawsOfEarlierJobsAreCorrupt) {
  const job::Job job = job_with({type("local", 1)});
  proto::JournalRecord record;
  record.mutable_run_began()->set_mode("run");
  proto::EarlierJobs& earlier = *record.mutable_run_began()->mutable_earlier();
  earlier.add_mean(0.5);
  earlier.add_covariance(2);
  earlier.set_jobs(3);
  RunState state = initial_state(job);
  ASSERT_TRUE(apply(state, record, job.cluster, job.promise.metric));
  EXPECT_EQ(state.beginning.earlier->jobs, 3u);
  earlier.set_covariance(0, -2);
  state = initial_state(job);
  const auto applied = apply(state, record, job.cluster, job.promise.metric);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(state.beginning.earlier.has_value());
}

// ---- what each attempt cost ---------------------------------------------------------------------

proto::JournalRecord attempt_began(double at_s, std::uint32_t attempt) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  record.mutable_attempt_began()->set_attempt(attempt);
  return record;
}

proto::JournalRecord pass_done(double at_s, std::uint32_t attempt, std::uint32_t pass) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  record.mutable_pass_done()->set_attempt(attempt);
  record.mutable_pass_done()->set_pass(pass);
  return record;
}

proto::JournalRecord attempt_ended(double at_s, std::uint32_t attempt, bool did_not_learn) {
  proto::JournalRecord record;
  record.set_run_s(at_s);
  record.mutable_attempt_ended()->set_attempt(attempt);
  record.mutable_attempt_ended()->set_did_not_learn(did_not_learn);
  return record;
}

TEST(AttemptCosts, AnAttemptThatFailedInItsFirstPassHasItsOwnCost) {
  const job::Job job = job_with({type("local", 1)});
  const RunState state = fold(job, {joined(0, 1, "local"), phase(10, "train"), attempt_began(11, 1),
                                    attempt_ended(31, 1, true), attempt_began(31, 2),
                                    pass_done(36, 2, 1), phase(36, "certify")});
  ASSERT_EQ(state.record.attempt_costs.size(), 2u);
  EXPECT_NEAR(state.record.attempt_costs[0], 21, 1e-9);
  EXPECT_NEAR(state.record.attempt_costs[1], 5, 1e-9);
}

TEST(AttemptCosts, TheCostOfAnEarlierAttemptThatContinuesIsItsOwn) {
  const job::Job job = job_with({type("local", 1)});
  const RunState state =
      fold(job, {joined(0, 1, "local"), phase(0, "train"), attempt_began(1, 1), pass_done(4, 1, 1),
                 attempt_began(5, 2), pass_done(8, 2, 1), gone(9, 1), joined(10, 2, "local"),
                 pass_done(14, 1, 2), attempt_ended(15, 2, false), pass_done(17, 1, 3)});
  ASSERT_EQ(state.record.attempt_costs.size(), 2u);
  EXPECT_NEAR(state.record.attempt_costs[1], 3, 1e-9);
  EXPECT_NEAR(state.record.attempt_costs[0], 5 + 1 + 4 + 3, 1e-9);
}

TEST(AttemptCosts, TheyAddUpToWhatTrainingCost) {
  const job::Job job = job_with({type("local", 1)});
  proto::JournalRecord certified;
  certified.set_run_s(29);
  certified.mutable_certified()->set_attempt(1);
  proto::JournalRecord ended;
  ended.set_run_s(30);
  ended.mutable_run_ended()->set_reason("done");
  const RunState state =
      fold(job, {joined(0, 1, "local"), phase(2, "train"), attempt_began(3, 1), pass_done(7, 1, 1),
                 attempt_began(8, 2), pass_done(15, 2, 1), phase(26, "certify"), certified, ended});
  const auto costs = certificate::attempt_costs(state.record);
  ASSERT_TRUE(costs.has_value());
  EXPECT_EQ(costs->attempts, 2u);
  EXPECT_NEAR(costs->kept + costs->others, state.record.training_cost, 1e-9);
}

// A journal may be damaged in ways that its checksums do not detect.
TEST(AttemptCosts, NumbersThatAreNoAttemptAreLeftAside) {
  const job::Job job = job_with({type("local", 1)});
  const RunState state =
      fold(job, {joined(0, 1, "local"), phase(0, "train"), attempt_began(1, 1), pass_done(3, 0, 1),
                 attempt_ended(3, 0, true), attempt_began(3, 0), pass_done(4, 4'000'000'000u, 1),
                 attempt_began(5, 4'000'000'000u), pass_done(6, 1, 1)});
  ASSERT_EQ(state.record.attempt_costs.size(), 1u);
  EXPECT_NEAR(state.record.attempt_costs[0], 6, 1e-9);
}

}  // namespace run_state_test
}  // namespace surety::orchestrator
