#include "orchestrator/stages/pool_replay.h"

#include <algorithm>
#include <utility>

#include "orchestrator/history/metric.h"

namespace surety::orchestrator {
namespace {

std::uint32_t newest_pass(const AttemptHistory& attempts, std::uint32_t attempt) {
  const auto found = attempts.checkpoints.find(attempt);
  return found == attempts.checkpoints.end() ? 0 : found->second.pass();
}

// Passes after an attempt's newest checkpoint are lost, and will be repeated. If an attempt has no
// checkpoint, the attempt itself is lost, but the observations of its passes are still valid.
bool is_lost(const AttemptHistory& attempts, const proto::PassDone& pass) {
  const std::uint32_t kept = newest_pass(attempts, pass.attempt());
  return kept > 0 && pass.pass() > kept;
}

// A journal may be damaged in ways that its checksums do not detect: a pass of an attempt that
// never began, or of a variant that does not exist, is left aside.
bool is_valid(const proto::PassDone& pass, const PoolSetup& setup, const RunState& state) {
  return pass.attempt() > 0 && pass.attempt() <= state.attempts.begun.size() &&
         pass.variant() < setup.spec.variants.size();
}

// The passes after which AttemptPool::on_decided() is called. A promise and a refusal need two
// consecutive decisions. The caller repeats the decision after the last pass, so the replay needs
// only the one before it. The pool decides after the newest earlier pass where a decision is due
// (is_decision_due()), and perhaps also after a pass between that one and the last. So on_decided()
// is called for all of these passes; it ignores those after which the pool did not decide.
struct CountedDecisions {
  std::size_t first = 0;  // Index of the first of these passes.
  std::size_t end = 0;    // Index of the last pass, which is not one of them.
  [[nodiscard]] bool contains(std::size_t pass) const { return first <= pass && pass < end; }
};

CountedDecisions counted_decisions(const RunState& state) {
  std::optional<std::size_t> last;
  for (std::size_t i = state.passes.size(); i-- > 0;) {
    const proto::PassDone& pass = state.passes[i].done;
    if (is_lost(state.attempts, pass)) continue;
    if (last && plan::is_decision_due(pass.pass())) return {i, *last};
    if (!last) last = i;
  }
  return {};
}

// The next attempt that the pool does not know yet failed before its first pass ended.
void come_to_nothing(const AttemptHistory& attempts, plan::AttemptPool& pool) {
  const std::uint32_t next = pool.attempts();
  pool.on_failed_start(next < attempts.begun.size() ? attempts.begun[next].variant() : 0);
}

// The remaining time and money at the end of a pass, computed from the current values.
plan::PoolMoment moment_after(const RunState& state, const RecordedPass& pass, const PoolNow& now) {
  plan::PoolMoment moment = now.left;
  moment.seconds_left += now.seconds - pass.end_s;
  if (moment.money_left) {
    *moment.money_left += state.record.training_cost - pass.cost;
  }
  return moment;
}

}  // namespace

void exclude_rates(const PoolSetup& setup, double failed, plan::AttemptPool& pool) {
  const std::uint32_t of_a_rate =
      static_cast<std::uint32_t>(setup.versions.size()) / setup.spec.families;
  const auto rate = [&](std::uint32_t family) {
    return setup.versions[family * of_a_rate].learning_rate;
  };
  const bool is_low = failed < rate(0);
  std::vector<std::uint32_t> excluded;
  for (std::uint32_t family = 0; family < setup.spec.families; ++family) {
    if (is_low ? rate(family) == failed : rate(family) >= failed) excluded.push_back(family);
  }
  for (const std::uint32_t family : excluded) {
    pool.exclude(family);
  }
}

plan::AttemptPool replayed(const PoolSetup& setup, const RunState& state, const PoolNow* now) {
  plan::AttemptPool pool(setup.spec);
  if (state.attempts.begun.empty()) return pool;
  pool.set_untrained_metric(state.attempts.begun.front().untrained_metric());
  if (state.record.stated) pool.on_answered(plan::PoolAnswer::kStated);
  if (state.record.refused) pool.on_answered(plan::PoolAnswer::kRefused);
  const CountedDecisions decisions = now ? counted_decisions(state) : CountedDecisions{};
  for (std::size_t i = 0; i < state.passes.size(); ++i) {
    const proto::PassDone& pass = state.passes[i].done;
    if (is_lost(state.attempts, pass) || !is_valid(pass, setup, state)) continue;
    while (pool.attempts() + 1 < pass.attempt()) come_to_nothing(state.attempts, pool);
    pool.on_pass({.attempt = pass.attempt() - 1,
                  .variant = pass.variant(),
                  .passes = pass.pass(),
                  .metric = for_planner(setup.spec.metric, pass.metric()),
                  .metric_se = pass.metric_se(),
                  .seconds = pass.seconds() + pass.eval_seconds(),
                  .workers = pass.workers() > 0 ? std::optional(pass.workers()) : std::nullopt});
    if (decisions.contains(i)) pool.on_decided(moment_after(state, state.passes[i], *now));
  }
  for (std::uint32_t attempt = 1; attempt <= pool.attempts(); ++attempt) {
    if (newest_pass(state.attempts, attempt) == 0) pool.on_lost(attempt - 1);
  }
  for (const std::uint32_t ended : state.attempts.ended) {
    if (ended > state.attempts.begun.size()) continue;
    while (pool.attempts() < ended) come_to_nothing(state.attempts, pool);
  }
  for (const std::uint32_t failed : state.attempts.failed) {
    if (failed == 0 || failed > state.attempts.begun.size()) continue;
    exclude_rates(setup, state.attempts.begun[failed - 1].learning_rate(), pool);
  }
  if (state.best_checkpoint)
    pool.on_saved(for_planner(setup.spec.metric, state.best_checkpoint->metric()));
  pool.unload();
  return pool;
}

std::optional<plan::EarlierJobs> for_later_jobs(const PoolSetup& setup, const RunState& state) {
  const plan::Promise& promise = state.record.promise;
  // Only first attempts count.
  const bool contradicted = state.stop && state.stop->target_met() && state.record.certified &&
                            state.record.certified->attempt == 1 &&
                            for_planner(promise.metric, state.record.certified->metric) >
                                for_planner(promise.metric, promise.target);
  return replayed(setup, state, nullptr).for_later_jobs(!contradicted);
}

}  // namespace surety::orchestrator
