// Factory for the models that a program without libtorch can train. The factory for all models is
// in learn/torch/any_task.h.
#pragma once

#include "learn/task.h"

namespace surety::learn {

// Makes tasks for linear models. For any other model it returns InvalidInput with the names of the
// linear models.
[[nodiscard]] TaskFactory glm_only();

}  // namespace surety::learn
