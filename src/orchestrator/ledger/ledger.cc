#include "orchestrator/ledger/ledger.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "orchestrator/history/verdict_record.h"
#include "orchestrator/stages/time_reserve.h"
#include "plan/files/plan_io.h"

namespace surety::orchestrator {

void Ledger::append(proto::JournalRecord record) {
  record.set_run_s(now_s_);
  const Result<void> applied = apply(state_, record, job_.cluster, job_.promise.metric);
  SURETY_CHECK(applied.has_value());
  add(Append{std::move(record)});
}

void Ledger::append_and_clean(proto::JournalRecord record) {
  const std::set<std::string> before = kept_checkpoints(state_);
  append(std::move(record));
  const std::set<std::string> after = kept_checkpoints(state_);
  for (const std::string& folder : before) {
    if (!after.contains(folder)) add(RemoveCheckpoint{folder});
  }
}

void Ledger::begin_phase(RunPhase phase) {
  phase_began_s_ = now_s_;
  proto::JournalRecord record;
  record.mutable_phase_began()->set_phase(std::string(name_of(phase)));
  append(std::move(record));
}

void Ledger::choose(const plan::Decision& decision) {
  proto::JournalRecord record;
  record.mutable_plan_chosen()->set_decision_json(plan::to_json(decision));
  append(std::move(record));
}

void Ledger::end(const std::string& reason) {
  proto::JournalRecord record;
  record.set_run_s(now_s_);
  record.mutable_run_ended();
  RunState then = state_;  // Also the time and the cost until now count.
  const Result<void> applied = apply(then, record, job_.cluster, job_.promise.metric);
  SURETY_CHECK(applied.has_value());
  *record.mutable_run_ended() = verdict_record(then.record, reason);
  append(std::move(record));
}

double Ledger::longest_evaluation_s() const {
  double longest = orchestrator::longest_evaluation_s(state_.profile_runs.finished);
  for (const RecordedPass& pass : state_.passes) {
    longest = std::max(longest, pass.done.eval_seconds());
  }
  return longest;
}

double Ledger::certify_reserve_s() const {
  return orchestrator::certify_reserve_s(longest_evaluation_s(), job_.promise.deadline_s);
}

std::optional<double> Ledger::money_left() const {
  if (!job_.promise.budget) return std::nullopt;
  const double budget = *job_.promise.budget;
  const double price = price_per_s(state_, job_.cluster);
  const double since_s = std::max(0.0, now_s_ - state_.time_s);
  return budget - certificate::total_cost(state_.record) - price * since_s -
         certify_reserve_cost(longest_evaluation_s(), job_.promise.deadline_s, price, budget);
}

}  // namespace surety::orchestrator
