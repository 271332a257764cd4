#include "orchestrator/history/earlier_record.h"

#include "proto/surety.pb.h"

namespace surety::orchestrator {

proto::EarlierJobs earlier_record(const plan::EarlierJobs& earlier) {
  proto::EarlierJobs record;
  record.mutable_mean()->Add(earlier.laws.mean.begin(), earlier.laws.mean.end());
  record.mutable_covariance()->Add(earlier.laws.covariance.begin(), earlier.laws.covariance.end());
  record.set_jobs(earlier.jobs);
  record.set_passes(earlier.passes);
  record.set_same_data(earlier.same_data);
  for (const plan::CountedAttempt& attempt : earlier.first_attempts) {
    proto::CountedAttempt& to = *record.add_first_attempts();
    to.set_seed(attempt.seed);
    to.set_version(attempt.version);
    to.mutable_metrics()->Add(attempt.metrics.begin(), attempt.metrics.end());
    to.set_metric_se(attempt.metric_se);
    to.set_confirmed(attempt.confirmed);
  }
  return record;
}

Result<plan::EarlierJobs> earlier_of(const proto::EarlierJobs& record) {
  plan::EarlierJobs earlier;
  earlier.laws.mean.assign(record.mean().begin(), record.mean().end());
  earlier.laws.covariance.assign(record.covariance().begin(), record.covariance().end());
  earlier.jobs = record.jobs();
  earlier.passes = record.passes();
  earlier.same_data = record.same_data();
  for (const proto::CountedAttempt& attempt : record.first_attempts()) {
    earlier.first_attempts.push_back(
        {.seed = attempt.seed(),
         .version = attempt.version(),
         .metrics = {attempt.metrics().begin(), attempt.metrics().end()},
         .metric_se = attempt.metric_se(),
         .confirmed = attempt.confirmed()});
  }
  if (earlier.jobs == 0 || !plan::is_law(earlier.laws)) {
    return fail(ErrorCode::kCorrupt,
                "the recorded results of earlier jobs are not a valid law of learning");
  }
  return earlier;
}

}  // namespace surety::orchestrator
