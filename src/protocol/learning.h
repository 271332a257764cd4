// Messages about a worker's task, as structs of `learn`.
#pragma once

#include "learn/task.h"

namespace surety::proto {
class Sums;
class TaskOptions;
}  // namespace surety::proto

namespace surety::protocol {

// The result lacks the options of this machine: threads, and whether samples are streamed.
[[nodiscard]] learn::TaskOptions from_proto(const proto::TaskOptions& task);

[[nodiscard]] proto::Sums to_proto(const learn::Evaluation& evaluation);

}  // namespace surety::protocol
