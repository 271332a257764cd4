// Factory for all models, for a program with libtorch.
#pragma once

#include "learn/task.h"

namespace surety::learn {

// Linear models use learn/linear/glm_task.h, and all other models dnn_task.h.
[[nodiscard]] TaskFactory any_task();

}  // namespace surety::learn
