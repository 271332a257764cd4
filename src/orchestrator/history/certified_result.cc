#include "orchestrator/history/certified_result.h"

#include <fmt/format.h>

#include "orchestrator/history/attempt_number.h"

namespace surety::orchestrator {

certificate::Certified certified_of(const proto::Certified& fact) {
  return {.metric = fact.metric(),
          .metric_se = fact.metric_se(),
          .samples = fact.samples(),
          .checkpoint = fact.checkpoint(),
          .model_checksum = fmt::format("{:016x}", fact.model_checksum()),
          .attempt = attempt_of(fact)};
}

Result<void> add_second_measurement(certificate::RunRecord& record,
                                    const proto::MeasuredAgain& fact, plan::Metric metric) {
  std::optional<certificate::Certified>& certified = record.certified;
  if (!certified) return fail(ErrorCode::kCorrupt, "a second measurement of no certified result");
  if (certificate::has_second_outcome(*certified)) {
    return fail(ErrorCode::kCorrupt, "two second measurements of one result");
  }
  if (!fact.has_values()) {
    certified->not_again = fact.not_measured();
    return {};
  }
  const proto::MeasuredAgain::Values& values = fact.values();
  certificate::MetricValues again{values.metric(), values.metric_se(), values.samples()};
  if (values.has_objective()) again.objective = values.objective();
  certificate::add_second_measurement(*certified, again, metric);
  return {};
}

}  // namespace surety::orchestrator
