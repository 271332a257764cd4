#include "orchestrator/job/train_phase.h"

#include "orchestrator/stages/pass_record.h"

namespace surety::orchestrator {

PhaseChange TrainPhase::begin() {
  context().workforce.enlist_waiting();
  ledger().begin_phase(RunPhase::kTrain);
  stage_.emplace(stage_context(config(), chunks_of_plan(config(), state())), *state().record.plan,
                 point(), history());
  staffing().fit();
  return advance(nullptr);
}

PhaseChange TrainPhase::on_trainer_event(const TrainerEvent& event) {
  note_pass(event, context().workforce);
  return advance(&event);
}

PhaseChange TrainPhase::on_model_lost() { return restart(); }

// Training returns to the checkpoint before, or to the start.
PhaseChange TrainPhase::on_unreadable(const Error& error) {
  const auto newest = newest_checkpoint(state());
  if (!newest) return on_fatal_error(error);
  drop_checkpoint(ledger(), newest->folder(), error);
  const std::string found =
      fmt::format("checkpoint {} is abandoned: {}", newest->folder(), error.message);
  const auto left = newest_checkpoint(state());
  ledger().log(left ? found + "; " + returns_to_text(*left)
                    : found + "; no other is left: training starts again");
  return restart();
}

// If the model diverges, the best checkpoint is certified.
PhaseChange TrainPhase::on_fatal_error(const Error& error) {
  if (error.code == ErrorCode::kDiverged && state().best_checkpoint) {
    return EnterCertify{"training failed: " + error.message, false};
  }
  return Phase::on_fatal_error(error);
}

PhaseChange TrainPhase::on_tick() {
  if (ledger().is_past_deadline()) return stop_at_deadline(trainer());
  if (ledger().is_out_of_money()) return stop_at_budget(trainer());
  return Stay{};
}

std::optional<Wanted> TrainPhase::wanted() const {
  auto wanted = Phase::wanted();
  if (!stage_) return wanted;
  wanted->target.counts = stage_->counts();
  wanted->target.nodes = stage_->nodes();
  wanted->why_fewer = stage_->why_fewer();
  return wanted;
}

PhaseChange TrainPhase::advance(const TrainerEvent* event) {
  plan::Moment now;
  now.seconds = ledger().now_s() - state().training_start_s.value();
  now.seconds_left = ledger().seconds_left();
  now.money_left = ledger().money_left();
  PhaseChange next = carry_out(stage_->next(event, now));
  if (std::holds_alternative<Stay>(next)) staffing().fit();
  return next;
}

PhaseChange TrainPhase::restart() { return carry_out(stage_->restart(point(), history())); }

TrainingPoint TrainPhase::point() const {
  const auto from = newest_checkpoint(state());
  return from ? point_of(*from) : TrainingPoint();
}

// The observations up to the newest checkpoint, from which training continues.
std::vector<plan::PassSeen> TrainPhase::history() const {
  const auto from = newest_checkpoint(state());
  if (!from) return {};
  return history_until(state(), from->pass(), config().job.promise.metric);
}

}  // namespace surety::orchestrator
