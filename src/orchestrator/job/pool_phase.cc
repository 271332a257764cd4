#include "orchestrator/job/pool_phase.h"

#include <utility>

#include "orchestrator/stages/label_guess.h"

namespace surety::orchestrator {

PhaseChange PoolPhase::begin() {
  // A resumed run has the variants that its passes have in the journal.
  const bool is_known =
      !state().attempts.begun.empty() && state().attempts.begun.front().workers() > 0;
  const std::uint32_t workers =
      is_known ? state().attempts.begun.front().workers() : context().workforce.staying();
  context().workforce.enlist_waiting();
  ledger().begin_phase(RunPhase::kTrain);
  PoolSetup setup = pool_setup(config().job, config().schema, workers, state().beginning.earlier);
  const JobConfig& job_config = config();
  if (const auto guess = label_guess(job_config.job, job_config.sources, job_config.validation)) {
    setup.spec.guess = for_planner(config().job.promise.metric, guess->metric);
  }
  if (setup.spec.variants.empty()) {
    return Finish{Ending::kFailed, "no node type has enough memory for any version"};
  }
  stage_.emplace(stage_context(config(), config().chunks), std::move(setup), state());
  return advance(nullptr);
}

PhaseChange PoolPhase::on_trainer_event(const TrainerEvent& event) {
  note_pass(event, context().workforce);
  return advance(&event);
}

PhaseChange PoolPhase::on_model_lost() {
  PhaseChange next = carry_out(stage_->restart(moment()));
  if (std::holds_alternative<Stay>(next)) staffing().fit();
  return next;
}

// The attempt goes back to its checkpoint before.
PhaseChange PoolPhase::on_unreadable(const Error& error) {
  const std::optional<std::uint32_t> attempt = stage_->attempt();
  if (!attempt || !state().attempts.checkpoints.contains(*attempt)) {
    return Phase::on_fatal_error(error);
  }
  const std::string folder = state().attempts.checkpoints.at(*attempt).folder();
  drop_checkpoint(ledger(), folder, error);
  ledger().log(fmt::format("checkpoint {} is abandoned: {}; {}", folder, error.message,
                           what_is_left(*attempt)));
  return carry_out(stage_->restart(moment()));
}

std::string PoolPhase::what_is_left(std::uint32_t attempt) const {
  const auto left = state().attempts.checkpoints.find(attempt);
  if (left == state().attempts.checkpoints.end()) {
    return fmt::format("attempt {} has no other checkpoint, so it cannot continue", attempt);
  }
  return fmt::format("the newest remaining checkpoint of attempt {} is of pass {}", attempt,
                     left->second.pass());
}

// If a model diverges, another attempt continues; if there is none, the best checkpoint is
// certified.
PhaseChange PoolPhase::on_fatal_error(const Error& error) {
  if (error.code == ErrorCode::kDiverged) {
    trainer().forget_order();
    if (auto effects = stage_->failed(error.message, moment())) return carry_out(*effects);
    if (state().best_checkpoint) return EnterCertify{"training failed: " + error.message, false};
  }
  return Phase::on_fatal_error(error);
}

PhaseChange PoolPhase::on_tick() {
  if (ledger().is_past_deadline()) return with_what_would_do(stop_at_deadline(trainer()));
  if (const auto effects = stage_->refuse_if_too_slow(trainer().progress().pass_done, moment())) {
    trainer().forget_order();
    return carry_out(*effects);
  }
  if (!ledger().is_out_of_money()) return Stay{};
  const auto refused = stage_->out_of_money(trainer().progress().pass_done, moment());
  if (!refused) return with_what_would_do(stop_at_budget(trainer()));
  trainer().forget_order();
  return carry_out(*refused);
}

EnterCertify PoolPhase::with_what_would_do(EnterCertify end) const {
  end.enough = stage_->what_would_do(moment());
  return end;
}

std::optional<Wanted> PoolPhase::wanted() const {
  auto wanted = Phase::wanted();
  if (stage_) wanted->target.counts = stage_->counts();
  return wanted;
}

void PoolPhase::describe(JobView& view) const {
  if (!stage_) return;
  view.attempt = stage_->attempt();
  view.forecast = stage_->forecast();
}

PhaseChange PoolPhase::advance(const TrainerEvent* event) {
  PhaseChange next = carry_out(stage_->next(event, moment()));
  if (std::holds_alternative<Stay>(next)) staffing().fit();
  return next;
}

PoolNow PoolPhase::moment() const {
  PoolNow now;
  now.state = &state();
  now.seconds = ledger().now_s() - state().training_start_s.value();
  now.left.seconds_left = ledger().seconds_left();
  now.left.money_left = ledger().money_left();
  return now;
}

}  // namespace surety::orchestrator
