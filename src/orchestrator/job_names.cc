// The names that a job file uses for the choices it offers.
#include "orchestrator/job_schema.h"

namespace surety::orchestrator {

const std::vector<std::string>& zoo_names() {
  static const std::vector<std::string> names{"logistic", "svm",         "svm-l2",  "ridge",
                                              "lasso",    "elastic-net", "mlp",     "lenet5",
                                              "alexnet",  "mobilenet",   "resnet20"};
  return names;
}

bool is_linear_model(const std::string& zoo) {
  return zoo == "logistic" || zoo == "svm" || zoo == "svm-l2" || is_regression_model(zoo);
}

bool is_regression_model(const std::string& zoo) {
  return zoo == "ridge" || zoo == "lasso" || zoo == "elastic-net";
}

const char* name_of(plan::Metric metric) {
  switch (metric) {
    case plan::Metric::kValidationLoss:
      return "validation_loss";
    case plan::Metric::kAccuracy:
      return "accuracy";
    case plan::Metric::kDualityGap:
      return "duality_gap";
  }
  return "unknown";
}

Result<plan::Metric> metric_named(const std::string& name) {
  for (const auto metric :
       {plan::Metric::kValidationLoss, plan::Metric::kAccuracy, plan::Metric::kDualityGap}) {
    if (name == name_of(metric)) return metric;
  }
  return fail(ErrorCode::kInvalidInput,
              "found {}, expected validation_loss, accuracy or duality_gap", name);
}

const char* name_of(Solver solver) { return solver == Solver::kCocoa ? "cocoa" : "local-sgd"; }

}  // namespace surety::orchestrator
