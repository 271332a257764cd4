// How the job goes from one phase to the next.
#include <algorithm>

#include "base/check.h"
#include "base/words.h"
#include "job/job.h"
#include "orchestrator/job/checked_plan.h"
#include "orchestrator/job/job_machine.h"
#include "orchestrator/job/pass_record.h"
#include "orchestrator/job/plan_instance.h"
#include "plan/files/plan_io.h"
#include "plan/plan_options.h"

namespace surety::orchestrator {
namespace {

// A link is measured with this many bytes: 1 MiB takes 84 ms at 100 Mbit/s.
constexpr std::uint64_t kProbeBytes = 1 << 20;
// Share of the time to the deadline. If it has passed before training begins, the log warns.
constexpr double kWarnShare = 0.2;

TrainingPoint point_of(const std::optional<proto::CheckpointCommitted>& from) {
  return from ? orchestrator::point_of(*from) : TrainingPoint();
}

std::optional<proto::CheckpointCommitted> newest(const RunState& state) {
  if (state.checkpoints.empty()) return std::nullopt;
  return state.checkpoints.back();
}

}  // namespace

void JobMachine::on(const Notice& notice) {
  if (const auto* trouble = std::get_if<Trouble>(&notice)) return fail_with(trouble->error);
  const auto* lost = std::get_if<ModelLost>(&notice);
  if (lost) effects_.push_back(Log{fmt::format("{}: returning to the last checkpoint", lost->why)});
  if (const auto* bad = std::get_if<CheckpointUnreadable>(&notice)) return roll_back(bad->error);
  switch (stage_) {
    case Stage::kProbe: {
      const auto& probe = std::get<ProbeFinished>(notice);
      if (probe.bytes_per_s > 0) {
        proto::JournalRecord record;
        record.mutable_link_rate()->set_from(probe.from.value);
        record.mutable_link_rate()->set_to(probe.to.value);
        record.mutable_link_rate()->set_bytes_per_s(probe.bytes_per_s);
        append(std::move(record));
      }
      return next_probe();
    }
    case Stage::kProfile:
      return next_profile_order(lost ? nullptr : &notice);
    case Stage::kPool:
      note_pass(notice);
      if (lost) {
        carry_out(attempts_->restart(pool_now()));
        return fit_to_plan();
      }
      return next_pool_order(&notice);
    case Stage::kTrain: {
      note_pass(notice);
      if (!lost) return next_training_order(&notice);
      return carry_out(training_->restart(point_of(newest(state_)), history()));
    }
    case Stage::kCertify:
      if (lost) return certify_again();
      if (const auto* done = std::get_if<EvaluationFinished>(&notice))
        return certify_measured(*done);
      return measure(data::Split::kCertify);  // The checkpoint is loaded again.
    case Stage::kGather:
    case Stage::kEnded:
      return;
  }
}

// A pass has ended in spite of the workers lost before, so they no longer count.
void JobMachine::note_pass(const Notice& notice) {
  if (!std::holds_alternative<PassFinished>(notice)) return;
  losses_ = 0;
  most_present_ = static_cast<std::uint32_t>(membership_.present().size());
}

// What was found and what happens instead. The record of it is already applied.
std::string JobMachine::lost_checkpoint_text(const std::string& folder, const Error& error) const {
  const std::string found = fmt::format("checkpoint {} is abandoned: {}", folder, error.message);
  const auto returns_to = [&](const proto::CheckpointCommitted& left) {
    return fmt::format("{}; the run returns to {}pass {}", found,
                       left.attempt() > 0 ? fmt::format("attempt {}, ", left.attempt()) : "",
                       left.pass());
  };
  if (stage_ == Stage::kCertify && !state_.stopped) {
    return found + "; it contained the model that met the target, so training continues";
  }
  if (stage_ == Stage::kCertify) {
    return state_.best ? returns_to(*state_.best) : found + "; no other checkpoint is left";
  }
  if (stage_ != Stage::kPool) {
    return state_.checkpoints.empty() ? found + "; no other is left: training starts again"
                                      : returns_to(state_.checkpoints.back());
  }
  const auto left = state_.attempt_checkpoints.find(attempts_->attempt());
  if (left != state_.attempt_checkpoints.end()) {
    return fmt::format("{}; the newest remaining checkpoint of attempt {} is of pass {}", found,
                       left->second.attempt(), left->second.pass());
  }
  return fmt::format("{}; attempt {} has no other checkpoint, so it cannot continue", found,
                     attempts_->attempt());
}

// The model that met the target is lost. If no time is left, the next tick ends training.
void JobMachine::continue_training() {
  if (uses_pool()) return enter_pool();
  enter_training();
}

// A delayed worker may write much later, so every model that may differ has its own folder.
std::string JobMachine::checkpoint_folder(const std::string& name) {
  std::string folder = config_.checkpoints_folder;
  if (state_.epoch > 1) folder += fmt::format("/coordinator-{}", state_.epoch);
  folder += "/" + name;
  const std::uint32_t before = saves_[name]++;
  return before == 0 ? folder : fmt::format("{}-again-{}", folder, before);
}

// The current checkpoint is unusable: training goes back to the one before it, or to the start. If
// it was to be certified as the best one, the next best one is certified.
void JobMachine::roll_back(const Error& error) {
  const bool certifies = stage_ == Stage::kCertify;
  std::string folder;
  if (certifies) folder = certified_.folder();
  if (stage_ == Stage::kTrain && !state_.checkpoints.empty()) {
    folder = state_.checkpoints.back().folder();
  }
  if (stage_ == Stage::kPool) {
    const auto found = state_.attempt_checkpoints.find(attempts_->attempt());
    if (found != state_.attempt_checkpoints.end()) folder = found->second.folder();
  }
  if (folder.empty()) return fail_with(error);
  proto::JournalRecord record;
  record.mutable_checkpoint_dropped()->set_folder(folder);
  record.mutable_checkpoint_dropped()->set_reason(error.message);
  append(std::move(record));
  effects_.push_back(Log{lost_checkpoint_text(folder, error)});
  if (certifies) return state_.stopped ? certify_again() : continue_training();
  if (stage_ == Stage::kPool) return carry_out(attempts_->restart(pool_now()));
  carry_out(training_->restart(point_of(newest(state_)), history()));
}

// If a model diverges, another attempt of the pool continues, or else the best checkpoint is
// certified. A damaged checkpoint of an attempt is replaced by the one before it. Any other error
// ends the run, with its own ending for bad input, since a retry with it would fail the same way.
void JobMachine::fail_with(const Error& error) {
  const bool users = error.code == ErrorCode::kInvalidInput;
  if (stage_ == Stage::kPool && attempts_->is_loading() && error.code == ErrorCode::kCorrupt) {
    return roll_back(error);
  }
  if (stage_ == Stage::kPool && error.code == ErrorCode::kDiverged) {
    trainer_.forget_order();
    if (auto effects = attempts_->failed(error.message, pool_now())) return carry_out(*effects);
    if (state_.best) return enter_certify("training failed: " + error.message, false);
  }
  const bool diverged = stage_ == Stage::kTrain && error.code == ErrorCode::kDiverged;
  if (diverged && state_.best) return enter_certify("training failed: " + error.message, false);
  const bool in_vain = users || error.code == ErrorCode::kDiverged;
  finish(in_vain ? Ending::kBadInput : Ending::kFailed, error.message);
}

// ---- gather, probe ------------------------------------------------------------------------------

bool JobMachine::is_gathered() const {
  if (staying() < config_.job.cluster.workers_min) return false;
  const bool all = pool_.awaited() == 0 && state_.external_workers.size() >= state_.external_away;
  return all || now_s_ - stage_began_s_ > gather_s_;
}

Waiting JobMachine::gathering() const {
  const std::size_t wanted =
      std::max<std::size_t>(config_.job.cluster.workers_min, staying() + pool_.awaited());
  return {fmt::format("{} of {} {} joined", staying(), counted(wanted, "worker"),
                      staying() == 1 || wanted == 1 ? "has" : "have"),
          stage_began_s_};
}

// Warns while the user can still act; refuses the promise once no pass can end in time.
void JobMachine::watch_deadline_in_gather() {
  if (stage_ != Stage::kGather || state_.stopped || config_.mode == "profile") return;
  const double deadline_s = state_.record.deadline_s;
  const std::string there = gathering().what;
  if (now_s_ > deadline_s - certify_reserve_s()) {
    const std::string reason = fmt::format(
        "not a single pass can end: after {} of {}, only {}. A later promise.deadline, or fewer "
        "workers (cluster.local), would leave time to train",
        time_words(now_s_), time_words(deadline_s), there);
    if (may_refuse_in_gather()) return refuse_in_gather("deadline", reason);
    return enter_certify("the deadline has passed", false);
  }
  const double took_s = now_s_ - stage_began_s_;
  if (warned_ || took_s < kWarnShare * deadline_s) return;
  warned_ = true;
  const char* why = config_.starts_workers ? "starting workers takes long on this machine"
                                           : "workers have to join from other machines";
  effects_.push_back(Log{fmt::format(
      "warning: {} of the {} to the deadline have passed, and {}: {}, so the promise may be missed",
      time_words(took_s), time_words(deadline_s), there, why)});
}

bool JobMachine::may_refuse_in_gather() const {
  return uses_pool() && state_.passes.empty() && !config_.job.best_effort;
}

void JobMachine::refuse_in_gather(const std::string& reason_class, const std::string& reason) {
  plan::Infeasible infeasible;
  infeasible.reason_class = reason_class;
  infeasible.reason = reason;
  choose(infeasible);
  end("the promise is refused: " + reason);
}

// Workers cost money once they are present. If that alone uses up the budget, no pass is possible.
void JobMachine::watch_budget_in_gather() {
  if (stage_ != Stage::kGather || state_.stopped || !may_refuse_in_gather()) return;
  if (!is_out_of_money()) return;
  refuse_in_gather(
      "budget",
      fmt::format("not a single pass can end: a budget of {} does not even pay for the time until "
                  "all workers have joined: {} after {}, and they cost {} per second",
                  money(*config_.job.promise.budget), gathering().what, time_words(now_s_),
                  money(price_per_s(state_, config_.job.cluster))));
}

void JobMachine::log_gathering_time() {
  const double took_s = now_s_ - stage_began_s_;
  const double deadline_s = state_.record.deadline_s;
  if (pool_.awaited() > 0) {
    effects_.push_back(
        Log{fmt::format("starting without the others: {}; they may join later", gathering().what)});
  }
  if (took_s < kWarnShare / 2 * deadline_s) return;
  effects_.push_back(Log{fmt::format(
      "starting workers took {} of the {} to the deadline; {} are left", time_words(took_s),
      time_words(deadline_s), time_words(std::max(0.0, deadline_s - now_s_)))});
}

void JobMachine::check_gathered() {
  if (!is_gathered()) return;
  log_gathering_time();
  if (state_.stopped) return certify_again();
  if (config_.mode == "train" || state_.record.plan) return enter_training();
  if (uses_pool()) return enter_pool();
  if (!state_.profile.links.empty()) return enter_profile();
  stage_ = Stage::kProbe;
  const std::vector<WorkerId> present = membership_.present();
  for (const WorkerId from : present) {
    for (const WorkerId to : present) {
      if (from != to) probes_.emplace_back(from, to);
    }
  }
  next_probe();
}

void JobMachine::next_probe() {
  if (probes_.empty()) return enter_profile();
  const auto [from, to] = probes_.back();
  probes_.pop_back();
  trainer_.start(ProbeOrder{from, to, kProbeBytes}, now_s_);
}

// ---- profile, plan ------------------------------------------------------------------------------

StageContext JobMachine::stage_context(std::vector<data::ChunkRange> chunks) const {
  return {.job = config_.job,
          .schema = config_.schema,
          .chunks = std::move(chunks),
          .workers = config_.job.cluster.local() > 0 ? config_.cut_for : 0,
          .measures_only = config_.measures_only};
}

void JobMachine::enter_profile() {
  stage_ = Stage::kProfile;
  enter_phase("profile");
  std::vector<ProfileRun> runs = profile_runs(config_.job);
  std::erase_if(runs,
                [&](const ProfileRun& run) { return state_.profile_done.contains(run.index); });
  profile_.emplace(stage_context(config_.chunks), std::move(runs));
  next_profile_order(nullptr);
}

void JobMachine::next_profile_order(const Notice* notice) { carry_out(profile_->next(notice)); }

// Time reserved at the end to load the best checkpoint and to evaluate it once more.
double JobMachine::certify_reserve_s() const {
  double longest = 0;
  for (const plan::CurvePoint& point : state_.profile.curves) {
    longest = std::max(longest, point.eval_seconds);
  }
  for (const proto::PassDone& pass : state_.passes) {
    longest = std::max(longest, pass.eval_seconds());
  }
  return 1 + 3 * longest;
}

void JobMachine::decide_plan() {
  enter_phase("plan");
  plan::PlanOptions options;
  options.seed = config_.job.train.seed;
  const double spent_s = now_s_ + certify_reserve_s();
  plan::Instance instance =
      plan_instance(config_.job, config_.sources, staying(), state_.record.deadline_s - spent_s);
  const double paid = state_.record.profile_cost;
  if (instance.promise.budget)
    *instance.promise.budget = std::max(0.0, *instance.promise.budget - paid);
  Result<plan::Decision> decision = make_checked_plan(instance, state_.profile, options);
  if (!decision) return finish(Ending::kFailed, "planning: " + decision.error().message);
  // The planner counts from now, people count from the start of the run.
  if (auto* infeasible = std::get_if<plan::Infeasible>(&*decision)) {
    if (infeasible->deadline_s) *infeasible->deadline_s += spent_s;
    if (infeasible->budget) *infeasible->budget += paid;
  }
  choose(*decision);
  if (state_.record.infeasible) return end(state_.record.infeasible->reason);
  enter_training();
}

// ---- train --------------------------------------------------------------------------------------

std::vector<data::ChunkRange> JobMachine::training_chunks() const {
  std::vector<data::ChunkRange> chunks = config_.chunks;
  if (!state_.record.plan) return chunks;
  const std::vector<std::string>& chosen = state_.record.plan->data;
  std::erase_if(chunks, [&](const data::ChunkRange& range) {
    const std::string& name = config_.sources[range.source].name;
    return !chosen.empty() && std::find(chosen.begin(), chosen.end(), name) == chosen.end();
  });
  return chunks;
}

// What was seen up to the newest checkpoint, where training continues.
std::vector<plan::PassSeen> JobMachine::history() const {
  const auto from = newest(state_);
  return from ? history_until(state_, from->pass(), config_.job.promise.metric)
              : std::vector<plan::PassSeen>();
}

// ---- attempts -----------------------------------------------------------------------------------

bool JobMachine::uses_pool() const {
  return config_.mode == "run" && !state_.record.plan && job::has_pool(config_.job);
}

PoolNow JobMachine::pool_now() const {
  PoolNow now;
  now.state = &state_;
  now.seconds = now_s_ - state_.train_s;
  now.left.seconds_left = state_.record.deadline_s - now_s_ - certify_reserve_s();
  if (config_.job.promise.budget) now.left.money_left = money_left();
  return now;
}

// The present nodes have also cost money since the last record.
double JobMachine::money_left() const {
  const double price = price_per_s(state_, config_.job.cluster);
  return *config_.job.promise.budget - certificate::total_cost(state_.record) -
         price * (std::max(0.0, now_s_ - state_.last_s) + certify_reserve_s());
}

bool JobMachine::is_out_of_money() const { return config_.job.promise.budget && money_left() <= 0; }

void JobMachine::enter_pool() {
  stage_ = Stage::kPool;
  enlist_waiting();
  enter_phase("train");
  PoolPlan plan = pool_plan(config_.job, config_.schema, staying(), state_.earlier);
  if (plan.spec.variants.empty()) {
    return finish(Ending::kFailed, "no node type has enough memory for any version");
  }
  attempts_.emplace(stage_context(config_.chunks), std::move(plan), state_);
  next_pool_order(nullptr);
  fit_to_plan();
}

void JobMachine::next_pool_order(const Notice* notice) {
  carry_out(attempts_->next(notice, pool_now()));
  if (stage_ == Stage::kPool) fit_to_plan();
}

void JobMachine::enter_training() {
  stage_ = Stage::kTrain;
  enlist_waiting();
  enter_phase("train");
  training_.emplace(stage_context(training_chunks()), *state_.record.plan, point_of(newest(state_)),
                    history());
  fit_to_plan();
  next_training_order(nullptr);
}

void JobMachine::next_training_order(const Notice* notice) {
  plan::Moment now;
  now.seconds = now_s_ - state_.train_s;
  now.seconds_left = state_.record.deadline_s - now_s_ - certify_reserve_s();
  if (config_.job.promise.budget) {
    now.money_left = *config_.job.promise.budget - certificate::total_cost(state_.record);
  }
  carry_out(training_->next(notice, now));
  if (stage_ == Stage::kTrain) fit_to_plan();
}

// ---- certify ------------------------------------------------------------------------------------

void JobMachine::enter_certify(const std::string& reason, bool target_met) {
  stage_ = Stage::kCertify;
  // If the target was met, the checkpoint that met it is certified; else the best one.
  const std::optional<proto::CheckpointCommitted> chosen =
      target_met ? newest(state_) : state_.best;
  if (!state_.stopped) {
    enter_phase("certify");
    proto::JournalRecord record;
    record.mutable_run_stopped()->set_reason(reason);
    record.mutable_run_stopped()->set_target_met(target_met);
    if (chosen) record.mutable_run_stopped()->set_checkpoint(chosen->folder());
    append(std::move(record));
  }
  if (!chosen) {
    return end(state_.passes.empty() ? "no pass was finished, so there is nothing to certify"
                                     : "no checkpoint is left, so there is nothing to certify");
  }
  certified_ = *chosen;
  trainer_.begin(
      session_spec(stage_context({}), training_chunks(), config_.job.train.seed, point_of(chosen)),
      now_s_);
}

void JobMachine::certify_measured(const EvaluationFinished& done) {
  // After a loss the others computed the model again, with other rounding: measure anew.
  if (done.model_checksum != certified_.model_checksum()) {
    return certify_again();
  }
  const MetricValue value = metric_of(config_.job.promise.metric, done.sums);
  proto::JournalRecord record;
  proto::Certified& fact = *record.mutable_certified();
  fact.set_metric(value.value);
  fact.set_metric_se(value.se);
  fact.set_samples(done.sums.samples());
  fact.set_checkpoint(certified_.folder());
  fact.set_model_checksum(certified_.model_checksum());
  fact.set_attempt(certified_.attempt());
  append(std::move(record));
  end(state_.record.stop_reason);
}

// ---- orders of the stages -----------------------------------------------------------------------

void JobMachine::measure(data::Split split) {
  if (config_.job.promise.metric == plan::Metric::kDualityGap) {
    return trainer_.start(EvaluateOrder{.duality = true}, now_s_);
  }
  trainer_.start(EvaluateOrder{.split = split, .ranges = config_.validation_chunks}, now_s_);
}

void JobMachine::append_stage_record(const proto::JournalRecord& fact) {
  const std::set<std::string> before = kept_checkpoints(state_);
  append(fact);
  const std::set<std::string> after = kept_checkpoints(state_);
  for (const std::string& folder : before) {
    if (!after.contains(folder)) effects_.push_back(RemoveCheckpoint{folder});
  }
}

void JobMachine::carry_out(const std::vector<StageEffect>& effects) {
  for (const StageEffect& effect : effects) {
    if (const auto* session = std::get_if<BeginSession>(&effect)) {
      trainer_.begin(session->spec, now_s_);
    } else if (const auto* pass = std::get_if<TrainPass>(&effect)) {
      trainer_.start(PassOrder{pass->workers}, now_s_);
    } else if (std::holds_alternative<Measure>(effect)) {
      measure(data::Split::kDecide);
    } else if (const auto* change = std::get_if<SwitchVersion>(&effect)) {
      trainer_.start(SwitchOrder{change->version}, now_s_);
    } else if (const auto* number = std::get_if<WorkWith>(&effect)) {
      trainer_.work_with(number->workers);
    } else if (const auto* checkpoint = std::get_if<SaveCheckpoint>(&effect)) {
      trainer_.start(SaveOrder{checkpoint_folder(checkpoint->name)}, now_s_);
    } else if (const auto* record = std::get_if<Record>(&effect)) {
      append_stage_record(record->fact);
    } else if (const auto* remark = std::get_if<Remark>(&effect)) {
      effects_.push_back(Log{remark->text});
    } else if (const auto* done = std::get_if<StageDone>(&effect)) {
      stage_done(*done);
    } else if (const auto* pause = std::get_if<PauseRun>(&effect)) {
      finish(Ending::kPaused, pause->reason);
    }
  }
}

void JobMachine::stage_done(const StageDone& done) {
  if (stage_ == Stage::kTrain || stage_ == Stage::kPool) {
    return enter_certify(done.reason, done.target_met);
  }
  if (config_.mode == "profile") return end("the profile is complete");
  decide_plan();
}

}  // namespace surety::orchestrator
