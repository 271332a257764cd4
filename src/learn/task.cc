#include "learn/task.h"

namespace surety::learn {

bool is_glm(std::string_view model) {
  return model == "logistic" || model == "svm" || model == "svm-l2" || is_regression(model);
}

bool is_regression(std::string_view model) {
  return model == "ridge" || model == "lasso" || model == "elastic-net";
}

}  // namespace surety::learn
