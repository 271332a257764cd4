#include "learn/torch/any_task.h"

#include "learn/linear/glm_task.h"
#include "learn/torch/dnn_task.h"
#include "model/zoo.h"

namespace surety::learn {

TaskFactory any_task() {
  return [](const TaskOptions& options) {
    return model::is_linear(options.model) ? make_glm_task(options) : make_dnn_task(options);
  };
}

}  // namespace surety::learn
