#include "worker/operations/save.h"

#include <algorithm>
#include <map>
#include <string>

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
