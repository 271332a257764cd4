// What a program without libtorch can train. learn/torch/any_task.h has the factory for everything.
#pragma once

#include "learn/task.h"

namespace surety::learn {

// Linear models; InvalidInput, naming them, for any other model.
[[nodiscard]] TaskFactory glm_only();

}  // namespace surety::learn
