#include "orchestrator/stages/current_attempt.h"

#include <fmt/format.h>

#include "orchestrator/stages/pass_record.h"

namespace surety::orchestrator {

void CurrentAttempt::on_switched(const std::string& version) {
  version_ = version;
  rate_watch_.on_model_changed();
}

void CurrentAttempt::on_pass(const PassFinished& pass) {
  last_pass_ = pass;
  passes_ = pass.pass;
  has_unsaved_ = true;
}

proto::PassDone CurrentAttempt::on_evaluated(const MetricValue& metric, double eval_seconds,
                                             std::uint32_t variant) {
  metric_ = metric;
  eval_seconds_ = eval_seconds;
  pace_.on_trained(last_pass_.seconds + eval_seconds);
  proto::PassDone fact = pass_record(last_pass_, metric, eval_seconds);
  fact.set_attempt(number_);
  fact.set_variant(variant);
  fact.set_version(version_);
  return fact;
}

plan::PoolPass CurrentAttempt::seen(plan::Metric kind, std::uint32_t variant) const {
  return {.attempt = number_ - 1,
          .variant = variant,
          .passes = passes_,
          .metric = for_planner(kind, metric_->value),
          .metric_se = metric_->se,
          .seconds = last_pass_.seconds + eval_seconds_,
          .workers = last_pass_.workers};
}

bool CurrentAttempt::rate_looks_too_high(plan::Metric kind) {
  return rate_watch_.on_pass(for_planner(kind, metric_->value), metric_->se);
}

std::string CurrentAttempt::begin_save(double now_s) {
  pace_.on_began(now_s);
  return fmt::format("attempt-{}-pass-{:04}", number_, passes_);
}

proto::CheckpointCommitted CurrentAttempt::on_saved(const SaveFinished& saved, double now_s,
                                                    std::uint32_t variant) {
  pace_.on_saved(now_s);
  has_unsaved_ = false;
  proto::CheckpointCommitted fact = checkpoint_record(saved, *metric_);
  fact.set_pass(passes_);
  fact.set_version(version_);
  fact.set_attempt(number_);
  fact.set_variant(variant);
  return fact;
}

}  // namespace surety::orchestrator
