#include "learn/task.h"

namespace surety::learn {

bool is_glm(const std::string& model) {
  return model == "logistic" || model == "svm" || model == "svm-l2" || model == "ridge";
}

}  // namespace surety::learn
