#include "orchestrator/history/verdict_record.h"

#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/message_differencer.h>

#include "job/job_names.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

proto::RunEnded verdict_record(const certificate::RunRecord& record, const std::string& reason) {
  proto::RunEnded end;
  end.set_reason(reason);
  end.set_verdict(name_of(certificate::verdict(record)));
  proto::RunEnded::Promised& promised = *end.mutable_promised();
  promised.set_metric(std::string(job::name_of(record.promise.metric)));
  promised.set_target(record.promise.target);
  promised.set_probability(record.promise.probability);
  promised.set_deadline_s(record.deadline_s);
  if (record.promise.budget) promised.set_budget(*record.promise.budget);
  if (const auto& certified = record.certified) {
    proto::RunEnded::Reached& reached = *end.mutable_reached();
    reached.set_metric(certified->metric);
    reached.set_metric_se(certified->metric_se);
    reached.set_samples(certified->samples);
    reached.set_model_checksum(certified->model_checksum);
  }
  end.set_run_seconds(record.run_seconds);
  end.set_cost(certificate::total_cost(record));
  return end;
}

bool follows(const proto::RunEnded& end, const certificate::RunRecord& record) {
  const proto::RunEnded expected = verdict_record(record, end.reason());
  // A value that is not a number equals itself here: a model that has diverged has such a loss.
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  return differencer.Compare(end, expected);
}

}  // namespace surety::orchestrator
