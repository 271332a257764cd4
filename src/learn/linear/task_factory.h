// Factory for the models that a program without libtorch can train; the one for all models is in
// learn/torch/any_task.h.
#pragma once

#include "learn/task.h"

namespace surety::learn {

// Makes tasks for linear models. InvalidInput, naming them, for any other model.
[[nodiscard]] TaskFactory glm_only();

}  // namespace surety::learn
