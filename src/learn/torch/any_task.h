// What a program with libtorch can train: everything.
#pragma once

#include "learn/task.h"

namespace surety::learn {

// Linear models by learn/glm_task.h, every other name by dnn_task.h.
[[nodiscard]] TaskFactory any_task();

}  // namespace surety::learn
