#include "orchestrator/stages/profile_stage.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "model/version.h"
#include "orchestrator/history/metric.h"
#include "orchestrator/stages/session_of_job.h"

namespace surety::orchestrator {
namespace {

Record curve_record(const StageContext& context, const ProfileRun& run, std::uint32_t pass,
                    const MetricValue& metric, const PassFinished& last, double eval_seconds) {
  Record record;
  proto::CurvePoint& point = *record.fact.mutable_curve_point();
  point.set_version(run.version);
  point.set_seed(run.seed);
  point.set_data_fraction(run.data_fraction);
  point.set_pass(pass);
  point.set_metric(for_planner(context.job.promise.metric, metric.value));
  point.set_metric_se(metric.se);
  point.set_seconds(last.seconds);
  point.set_eval_seconds(eval_seconds);
  point.set_workers(last.workers);
  return record;
}

std::vector<StageEffect> speed_records(const StageContext& context, const ProfileRun& run,
                                       const PassFinished& pass) {
  std::vector<StageEffect> records;
  for (const auto& [worker, rate] : pass.samples_per_s) {
    Record record;
    proto::NodeSpeed& speed = *record.fact.mutable_node_speed();
    speed.set_worker(worker.value);
    speed.set_type(context.job.cluster.nodes.front().name);
    speed.set_version(run.version);
    speed.set_samples_per_s(rate);
    records.push_back(std::move(record));
  }
  return records;
}

// Versions that a plan may grow to, the full one first. REQUIRES: the names of versions.
std::vector<std::string> fuller_versions(const std::vector<std::string>& versions,
                                         const std::string& version) {
  std::vector<std::string> fuller;
  const double pruned = model::parse_version(version).value().pruned;
  for (const std::string& other : versions) {
    const model::Version to = model::parse_version(other).value();
    if (to.pruned < pruned) fuller.insert(to.full() ? fuller.begin() : fuller.end(), other);
  }
  return fuller;
}

}  // namespace

std::vector<ProfileRun> profile_runs(const job::Job& job) {
  std::vector<std::optional<std::uint32_t>> workers(job.profile.workers.begin(),
                                                    job.profile.workers.end());
  if (workers.empty()) workers.push_back(std::nullopt);
  std::vector<ProfileRun> runs;
  for (std::uint32_t seed = 1; seed <= job.profile.seeds; ++seed) {
    for (const std::optional<std::uint32_t> count : workers) {
      for (const double fraction : job.profile.data_fractions) {
        if (fraction != 1 && count != workers.front()) continue;  // Vary one thing at a time.
        for (const std::string& version : job.model.versions) {
          runs.push_back({static_cast<std::uint32_t>(runs.size()), version, seed, fraction, count});
        }
      }
    }
  }
  return runs;
}

ProfileStage::ProfileStage(StageContext context, std::vector<ProfileRun> runs)
    : context_(std::move(context)), runs_(std::move(runs)) {}

void ProfileStage::cut_short() {
  const std::size_t least = std::max(at_ + 1, context_.job.model.versions.size());
  if (least >= runs_.size()) return;
  runs_.resize(least);
  was_cut_ = true;
}

std::vector<StageEffect> ProfileStage::next(const TrainerEvent* event) {
  if (event == nullptr) return begin_run();
  switch (await_) {
    case Await::kBegin:
      if (model::is_full(runs_[at_].version)) break;
      await_ = Await::kFirstSwitch;
      return {SwitchVersion{runs_[at_].version}};
    case Await::kFirstSwitch:
      break;
    case Await::kEvaluation:
      return after_evaluation(std::get<EvaluationFinished>(*event));
    case Await::kPass:
      last_pass_ = std::get<PassFinished>(*event);
      ++pass_;
      break;
    case Await::kChange:
      change_seconds_ = std::get<SwitchFinished>(*event).seconds;
      await_ = Await::kChangePass;
      return {TrainPass{runs_[at_].workers}};
    case Await::kChangePass:
      await_ = Await::kChangeEvaluation;
      return {Measure{}};
    case Await::kChangeEvaluation:
      return after_change(std::get<EvaluationFinished>(*event));
  }
  await_ = Await::kEvaluation;
  return {Measure{}};
}

std::vector<StageEffect> ProfileStage::begin_run() {
  if (at_ == runs_.size()) return {StageDone{"every run is done", false}};
  const ProfileRun& run = runs_[at_];
  pass_ = 0;
  last_pass_ = {};
  await_ = Await::kBegin;
  // Training uses train.seed itself. Profile runs use other seeds, the same for every version.
  const std::uint64_t seed = context_.job.train.seed + 1000003ull * run.seed;
  SessionSpec spec =
      session_spec(context_, fraction_of(context_.chunks, run.data_fraction, seed), seed);
  spec.workers_max = run.workers;
  return {BeginSession{std::move(spec)}};
}

std::vector<StageEffect> ProfileStage::after_evaluation(const EvaluationFinished& done) {
  const MetricValue metric = metric_of(context_.job.promise.metric, done.sums);
  metric_ = for_planner(context_.job.promise.metric, metric.value);
  const ProfileRun& run = runs_[at_];
  std::vector<StageEffect> effects = speed_records(context_, run, last_pass_);
  effects.push_back(curve_record(context_, run, pass_, metric, last_pass_, done.seconds));
  if (pass_ < context_.job.profile.passes) {
    await_ = Await::kPass;
    effects.push_back(TrainPass{runs_[at_].workers});
    return effects;
  }
  const std::vector<std::string> fuller = fuller_versions(context_.job.model.versions, run.version);
  const auto& counts = context_.job.profile.workers;
  const bool is_plain = run.data_fraction == 1 && (counts.empty() || run.workers == counts.front());
  std::vector<StageEffect> more;
  if (is_plain && !fuller.empty()) {
    grown_to_ = fuller[(run.seed - 1) % fuller.size()];
    await_ = Await::kChange;
    more.push_back(SwitchVersion{grown_to_});
  } else {
    more = finish_run();
  }
  for (StageEffect& effect : more) effects.push_back(std::move(effect));
  return effects;
}

std::vector<StageEffect> ProfileStage::after_change(const EvaluationFinished& done) {
  const MetricValue metric = metric_of(context_.job.promise.metric, done.sums);
  const ProfileRun& run = runs_[at_];
  Record record;
  proto::SwitchPoint& point = *record.fact.mutable_switch_point();
  point.set_from(run.version);
  point.set_to(grown_to_);
  point.set_seed(run.seed);
  point.set_pass(pass_);
  point.set_metric_before(metric_);
  point.set_metric_after(for_planner(context_.job.promise.metric, metric.value));
  point.set_seconds(change_seconds_);
  point.set_passes_after(1);
  std::vector<StageEffect> effects{std::move(record)};
  for (StageEffect& effect : finish_run()) effects.push_back(std::move(effect));
  return effects;
}

std::vector<StageEffect> ProfileStage::finish_run() {
  Record done;
  done.fact.mutable_profile_run_done()->set_index(runs_[at_].index);
  std::vector<StageEffect> effects{std::move(done)};
  ++at_;
  for (StageEffect& effect : begin_run()) effects.push_back(std::move(effect));
  return effects;
}

}  // namespace surety::orchestrator
