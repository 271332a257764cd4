#include "worker/operations/operation_factory.h"

#include <utility>

#include "worker/operations/async_step.h"
#include "worker/operations/evaluation.h"
#include "worker/operations/preparation.h"
#include "worker/operations/probe.h"
#include "worker/operations/save.h"
#include "worker/operations/sync_step.h"
#include "worker/operations/version_switch.h"

namespace surety::worker {

std::unique_ptr<Operation> make_operation(OperationContext context) {
  switch (context.command.command_case()) {
    case proto::ToWorker::kPrepare:
      return std::make_unique<Preparation>(std::move(context));
    case proto::ToWorker::kProbe:
      return std::make_unique<Probe>(std::move(context));
    case proto::ToWorker::kStep:
      if (context.command.step().has_asynchronous()) {
        return std::make_unique<AsyncStep>(std::move(context));
      }
      return std::make_unique<SyncStep>(std::move(context));
    case proto::ToWorker::kEvaluate:
      return std::make_unique<Evaluation>(std::move(context));
    case proto::ToWorker::kSwitch:
      return std::make_unique<VersionSwitch>(std::move(context));
    case proto::ToWorker::kSave:
      return std::make_unique<Save>(std::move(context));
    default:
      return nullptr;
  }
}

}  // namespace surety::worker
