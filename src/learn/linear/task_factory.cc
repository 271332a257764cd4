#include "learn/linear/task_factory.h"

#include "learn/linear/glm_task.h"

namespace surety::learn {

TaskFactory glm_only() {
  return [](const TaskOptions& options) { return make_glm_task(options); };
}

}  // namespace surety::learn
