#include "job/job_names.h"

#include "base/text.h"
#include "model/zoo.h"

namespace surety::job {

const std::vector<std::string>& zoo_names() {
  static const std::vector<std::string> names = [] {
    const auto linear = model::linear_names();
    const auto networks = model::zoo_names();
    std::vector<std::string> all(linear.begin(), linear.end());
    all.insert(all.end(), networks.begin(), networks.end());
    return all;
  }();
  return names;
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
              "found {}, expected validation_loss, accuracy or duality_gap", excerpt(name));
}

const char* name_of(Solver solver) { return solver == Solver::kCocoa ? "cocoa" : "local-sgd"; }

const char* name_of(Aggregation aggregation) {
  return aggregation == Aggregation::kSafe ? "safe" : "accelerated";
}

const char* name_of(elastic::OnResize on_resize) {
  switch (on_resize) {
    case elastic::OnResize::kKeepBatch:
      return "keep_batch";
    case elastic::OnResize::kScaleRate:
      return "scale_rate";
    case elastic::OnResize::kNone:
      return "none";
  }
  return "unknown";
}

const char* name_of(TrainMode mode) {
  switch (mode) {
    case TrainMode::kAsync:
      return "async";
    case TrainMode::kBoundedStaleness:
      return "bounded";
    case TrainMode::kBatch:
      return "batch";
    case TrainMode::kSync:
      return "sync";
  }
  return "?";
}

}  // namespace surety::job
