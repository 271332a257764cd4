// How a worker's task learns, as its coordinator says it.
#pragma once

#include "learn/task.h"

namespace surety::proto {
class TaskOptions;
}  // namespace surety::proto

namespace surety::worker {

// Without what is this machine's: threads, and whether samples are streamed.
[[nodiscard]] learn::TaskOptions task_options(const proto::TaskOptions& task);

}  // namespace surety::worker
