#include "orchestrator/job/certify_phase.h"

#include <algorithm>
#include <utility>

#include "base/words.h"
#include "orchestrator/stages/pass_record.h"
#include "orchestrator/stages/session_of_job.h"

namespace surety::orchestrator {
namespace {

// A hanging worker delays the certification by at most a third of the grace time.
constexpr double kPatienceS = Ledger::kGraceS / 3;

}  // namespace

PhaseChange CertifyPhase::begin() {
  const std::optional<proto::CheckpointCommitted> chosen =
      why_.target_met ? newest_checkpoint(state()) : state().best_checkpoint;
  // A resumed run whose training had stopped has gathered workers meanwhile.
  if (state().phase != RunPhase::kCertify) ledger().begin_phase(RunPhase::kCertify);
  if (!state().stop) {
    proto::JournalRecord record;
    record.mutable_run_stopped()->set_reason(why_.reason);
    record.mutable_run_stopped()->set_target_met(why_.target_met);
    if (why_.enough) record.mutable_run_stopped()->set_enough(*why_.enough);
    if (chosen) record.mutable_run_stopped()->set_checkpoint(chosen->folder());
    ledger().append(std::move(record));
  }
  if (!chosen) {
    return EndRun{state().passes.empty() ? "no pass was finished, so there is nothing to certify"
                                         : "no checkpoint is left, so there is nothing to certify"};
  }
  checkpoint_ = *chosen;
  SessionSpec spec = session_spec(stage_context(config(), {}), chunks_of_plan(config(), state()),
                                  config().job.train.seed, point_of(checkpoint_));
  // After the deadline only the grace time is left, and the other workers can certify without this
  // one.
  spec.patience_s = kPatienceS;
  trainer().begin(std::move(spec), ledger().now_s());
  return Stay{};
}

// Starts the certification again. The reason for the end of training is read from the journal.
PhaseChange CertifyPhase::again() {
  why_ = {state().stop->reason(), state().stop->target_met()};
  return begin();
}

PhaseChange CertifyPhase::on_trainer_event(const TrainerEvent& event) {
  if (const auto* done = std::get_if<EvaluationFinished>(&event)) return on_measured(*done);
  measure(context(), data::Split::kCertify);  // The checkpoint is loaded.
  return Stay{};
}

PhaseChange CertifyPhase::on_measured(const EvaluationFinished& done) {
  // After a loss the others computed the model again, with other rounding, so it must be measured
  // again.
  if (checkpoint_.model_checksum() != done.model_checksum) return again();
  const MetricValue value = metric_of(config().job.promise.metric, done.sums);
  proto::JournalRecord record;
  proto::Certified& fact = *record.mutable_certified();
  fact.set_metric(value.value);
  fact.set_metric_se(value.se);
  fact.set_samples(done.sums.samples());
  fact.set_checkpoint(checkpoint_.folder());
  fact.set_model_checksum(checkpoint_.model_checksum());
  if (checkpoint_.has_attempt()) fact.set_attempt(checkpoint_.attempt());
  ledger().append(std::move(record));
  return EndRun{state().record.stop_reason};
}

// The next best checkpoint is certified. If the lost one met the target, training continues; if no
// time is left for that, its next tick ends it.
PhaseChange CertifyPhase::on_unreadable(const Error& error) {
  const std::string folder = checkpoint_.folder();
  if (folder.empty()) return on_fatal_error(error);
  drop_checkpoint(ledger(), folder, error);
  const std::string found = fmt::format("checkpoint {} is abandoned: {}", folder, error.message);
  if (!state().stop) {
    ledger().log(found + "; it contained the model that met the target, so training continues");
    if (uses_pool(config(), state())) return EnterPool{};
    return EnterTraining{};
  }
  ledger().log(state().best_checkpoint ? found + "; " + returns_to_text(*state().best_checkpoint)
                                       : found + "; no other checkpoint is left");
  return again();
}

PhaseChange CertifyPhase::on_tick() {
  if (!ledger().is_past_grace()) return Stay{};
  if (context().workforce.is_empty()) return EndRun{"no worker was left to certify the result"};
  return EndRun{fmt::format("the result was not certified within {} after the deadline",
                            time_words(Ledger::kGraceS))};
}

}  // namespace surety::orchestrator
