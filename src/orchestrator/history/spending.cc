#include "orchestrator/history/spending.h"

#include <algorithm>

namespace surety::orchestrator {
namespace {

// Divides the time since the end of the pass before, and its cost, into a pass and its evaluation.
struct Shares {
  certificate::SpendingPart training;
  certificate::SpendingPart measuring;
  certificate::SpendingPart waiting;
};

// If the run was paused in between, the paid share of that time is not known. It is small, because
// idle nodes are not kept for long.
Shares shares_of(const proto::PassDone& pass, double seconds, double cost, bool rested) {
  const double busy = pass.seconds() + pass.eval_seconds();
  const double paid = std::max({rested ? busy : seconds, busy, 1e-9});
  const double training = pass.seconds() / paid;
  const double measuring = pass.eval_seconds() / paid;
  const double waiting = std::max(0.0, 1 - training - measuring);
  return {{"", pass.seconds(), training * cost},
          {"", pass.eval_seconds(), measuring * cost},
          {"", std::max(0.0, seconds - busy), waiting * cost}};
}

// No coordinator worked on the run for a while between these times, in seconds since training
// began.
bool rested_between(const RunState& state, double from_s, double to_s) {
  return std::ranges::any_of(state.record.timeline, [&](const certificate::TimelineEvent& event) {
    const double at_s = event.seconds - state.training_start_s.value_or(0);
    const bool rests =
        event.kind == certificate::EventKind::kPause || event.phase() == RunPhase::kGather;
    return rests && at_s > from_s && at_s <= to_s;
  });
}

void add(certificate::SpendingPart& to, const certificate::SpendingPart& part) {
  to.seconds += part.seconds;
  to.cost += part.cost;
}

}  // namespace

std::vector<certificate::SpendingPart> spending(const RunState& state) {
  const certificate::RunRecord& record = state.record;
  certificate::SpendingPart gathering{
      record.plan ? "gathering workers, profiling and planning" : "gathering workers",
      record.profile_seconds, record.profile_cost};
  certificate::SpendingPart kept{"passes of the final model", 0, 0};
  certificate::SpendingPart others{"passes of other attempts", 0, 0};
  certificate::SpendingPart measuring{"evaluating the model after passes", 0, 0};
  certificate::SpendingPart waiting{"waiting: starts, checkpoints, changes of version and nodes", 0,
                                    0};
  double before_s = 0;
  double before_cost = 0;
  // A pass that was lost with its worker or its coordinator was measured, but no longer counts as a
  // pass.
  auto measured = record.measurements.begin();
  for (const RecordedPass& pass : state.passes) {
    measured = std::find_if(
        measured, record.measurements.end(),
        [&](const certificate::Measurement& one) { return one.seconds >= pass.end_s; });
    if (measured == record.measurements.end()) break;
    const certificate::Measurement& at = *measured;
    const Shares shares =
        shares_of(pass.done, pass.end_s - before_s, std::max(0.0, at.cost - before_cost),
                  rested_between(state, before_s, pass.end_s));
    const bool is_kept = record.certified && at.attempt == record.certified->attempt;
    add(is_kept ? kept : others, shares.training);
    add(measuring, shares.measuring);
    add(waiting, shares.waiting);
    before_s = std::max(before_s, pass.end_s);
    before_cost = std::max(before_cost, at.cost);
  }
  const certificate::SpendingPart certifying{"certifying, and everything after the last pass",
                                             std::max(0.0, record.training_seconds - before_s),
                                             std::max(0.0, record.training_cost - before_cost)};
  std::vector<certificate::SpendingPart> parts{
      gathering, kept, others, measuring, waiting, certifying, {"data", 0, record.data_cost}};
  std::erase_if(parts, [](const certificate::SpendingPart& part) {
    return part.seconds <= 0 && part.cost <= 0;
  });
  return parts;
}

}  // namespace surety::orchestrator
