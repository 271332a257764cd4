// The options of a worker's task, from the coordinator's message.
#pragma once

#include "learn/task.h"

namespace surety::proto {
class TaskOptions;
}  // namespace surety::proto

namespace surety::worker {

// The result lacks the options of this machine: threads, and whether samples are streamed.
[[nodiscard]] learn::TaskOptions task_options(const proto::TaskOptions& task);

}  // namespace surety::worker
