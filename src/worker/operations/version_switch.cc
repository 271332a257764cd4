#include "worker/operations/version_switch.h"

#include <utility>

#include "learn/model_checksum.h"

namespace surety::worker {

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

}  // namespace surety::worker
