#include "orchestrator/job/phase.h"

#include <utility>

#include "base/overloaded.h"

namespace surety::orchestrator {
namespace {

// The user must correct bad input: a retry with it would fail the same way.
Finish failed(const Error& error) {
  const bool retry_would_fail =
      error.code == ErrorCode::kInvalidInput || error.code == ErrorCode::kDiverged;
  return {retry_would_fail ? Ending::kBadInput : Ending::kFailed, error.message};
}

}  // namespace

PhaseChange Phase::on_unreadable(const Error& error) { return failed(error); }

PhaseChange Phase::on_fatal_error(const Error& error) { return failed(error); }

PhaseChange Phase::on_joined() {
  staffing().fit();
  return Stay{};
}

std::optional<Wanted> Phase::wanted() const {
  Wanted wanted;
  wanted.target.at_least = config().job.cluster.workers_min;
  wanted.target.only_first = !context_.workforce.counts_all_types();
  return wanted;
}

PhaseChange Phase::carry_out(const std::vector<StageEffect>& effects) {
  PhaseChange next;
  const double now_s = ledger().now_s();
  for (const StageEffect& effect : effects) {
    std::visit(
        Overloaded{
            [&](const BeginSession& session) { trainer().begin(session.spec, now_s); },
            [&](const TrainPass& pass) { trainer().start(PassOrder{pass.workers}, now_s); },
            [&](const Measure&) { measure(context_, data::Split::kDecide); },
            [&](const SwitchVersion& to) { trainer().start(SwitchOrder{to.version}, now_s); },
            [&](const WorkWith& number) { trainer().limit_workers(number.workers); },
            [&](const SaveCheckpoint& checkpoint) {
              trainer().start(SaveOrder{context_.folders.next(checkpoint.name)}, now_s);
            },
            [&](const Record& record) { ledger().append_and_clean(record.fact); },
            [&](const Remark& remark) { ledger().log(remark.text); },
            [&](const StageDone& done) { next = on_stage_done(done); },
            [&](const PauseRun& pause) {
              next = Finish{Ending::kPaused, pause.reason};
            },
        },
        effect);
  }
  return next;
}

PhaseChange Phase::on_stage_done(const StageDone& done) {
  return EnterCertify{done.reason, done.target_met, done.enough};
}

// ---- functions of several phases ----------------------------------------------------------------

bool uses_pool(const JobConfig& config, const RunState& state) {
  return config.mode == RunMode::kRun && !state.record.plan && job::has_pool(config.job);
}

StageContext stage_context(const JobConfig& config, std::vector<data::ChunkRange> chunks) {
  return {.job = config.job,
          .schema = config.schema,
          .chunks = std::move(chunks),
          .workers = config.job.cluster.local() > 0 ? config.chunks_for_workers : std::nullopt,
          .measures_only = config.measures_only};
}

std::vector<data::ChunkRange> chunks_of_plan(const JobConfig& config, const RunState& state) {
  std::vector<data::ChunkRange> chunks = config.chunks;
  if (!state.record.plan) return chunks;
  std::erase_if(chunks, [&](const data::ChunkRange& range) {
    return !uses_data(*state.record.plan, config.sources[range.source].name);
  });
  return chunks;
}

std::optional<proto::CheckpointCommitted> newest_checkpoint(const RunState& state) {
  if (state.checkpoints.empty()) return std::nullopt;
  return state.checkpoints.back();
}

void measure(const PhaseContext& context, data::Split split) {
  const double now_s = context.ledger.now_s();
  if (context.config.job.promise.metric == plan::Metric::kDualityGap) {
    return context.trainer.start(EvaluateOrder{.duality = true}, now_s);
  }
  context.trainer.start(
      EvaluateOrder{.split = split,
                    .ranges = context.config.validation_chunks,
                    .samples = context.validation_samples[static_cast<std::size_t>(split)]},
      now_s);
}

void drop_checkpoint(Ledger& ledger, const std::string& folder, const Error& error) {
  proto::JournalRecord record;
  record.mutable_checkpoint_dropped()->set_folder(folder);
  record.mutable_checkpoint_dropped()->set_reason(error.message);
  ledger.append_and_clean(record);
}

std::string returns_to_text(const proto::CheckpointCommitted& checkpoint) {
  return fmt::format(
      "the run returns to {}pass {}",
      checkpoint.has_attempt() ? fmt::format("attempt {}, ", checkpoint.attempt()) : "",
      checkpoint.pass());
}

PhaseChange refuse(Ledger& ledger, plan::ReasonClass reason_class, const std::string& reason) {
  plan::Infeasible infeasible;
  infeasible.reason_class = reason_class;
  infeasible.reason = reason;
  ledger.choose(infeasible);
  return EndRun{"the promise is refused: " + reason};
}

EnterCertify stop_at_deadline(Trainer& trainer) {
  trainer.forget_order();
  return {"the deadline has passed", false};
}

EnterCertify stop_at_budget(Trainer& trainer) {
  trainer.forget_order();
  return {"the budget is used up, apart from what certifying the result costs", false};
}

void note_pass(const TrainerEvent& event, Workforce& workforce) {
  if (std::holds_alternative<PassFinished>(event)) workforce.on_pass();
}

}  // namespace surety::orchestrator
