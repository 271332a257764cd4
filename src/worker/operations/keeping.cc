#include "worker/operations/keeping.h"
#include "learn/model_checksum.h"

#include <algorithm>
#include <map>
#include <utility>

namespace surety::worker {
namespace {

bool has_state(const std::map<ChunkId, data::Chunk>& chunks) {
  return std::ranges::any_of(chunks, [](const auto& held) { return !held.second.state.empty(); });
}

Result<void> save(const OperationContext& context, proto::Saved& saved) {
  const proto::Save& order = context.command.save();
  const State& state = context.state;
  if (order.model()) {
    const std::string path = order.folder() + "/model.safetensors";
    SURETY_TRY(*saved.add_files(), context.files.save_model(path, state.model));
  }
  // A file without chunks would be taken for the file of the model.
  if (order.chunk_state() && has_state(state.chunks.own())) {
    const std::string path = fmt::format("{}/state-{}.safetensors", order.folder(), state.self);
    SURETY_TRY(*saved.add_files(), context.files.save_states(path, state.chunks.own()));
  }
  return {};
}

}  // namespace

// ---- VersionSwitch ------------------------------------------------------------------------------

void VersionSwitch::begin() {
  changed_ = std::make_shared<Changed>();
  context().start(
      {.kind = Work::Kind::kSwitch,
       .run = [&context = context(), changed = changed_](const WorkLimits&) -> Result<void> {
         SURETY_TRY(changed->model, context.state.task->switch_version(
                                        context.state.model, context.command.switch_().version()));
         changed->checksum = learn::model_checksum(changed->model);
         return {};
       }});
}

void VersionSwitch::on_work_done(const Result<void>& outcome) {
  if (!outcome) return fail_with(outcome.error());
  learn::Model& changed = changed_->model;
  proto::FromWorker answer;
  proto::Switched& done = *answer.mutable_switched();
  done.set_parameters(changed.parameters.size());
  done.set_parent(changed.parent.size());
  done.set_average(changed.average.size());
  done.set_model_checksum(changed_->checksum);
  state().tentative = Tentative{.iteration = command().model_iteration() + 1,
                                .model = std::move(changed),
                                .from_task = false};
  context().answer(std::move(answer));
}

// ---- Save ---------------------------------------------------------------------------------------

void Save::begin() {
  saved_ = std::make_shared<proto::Saved>();
  context().start(
      {.kind = Work::Kind::kSave, .run = [&context = context(), saved = saved_](const WorkLimits&) {
         return save(context, *saved);
       }});
}

void Save::on_work_done(const Result<void>& outcome) {
  if (!outcome) return fail_with(outcome.error());
  proto::FromWorker answer;
  *answer.mutable_saved() = *saved_;
  context().answer(std::move(answer));
}

}  // namespace surety::worker
