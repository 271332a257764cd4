#include "orchestrator/job/gather_phase.h"

#include <algorithm>

#include "base/check.h"
#include "base/words.h"

namespace surety::orchestrator {
namespace {

// kGatherS: seconds to wait for the first workers before the job continues with at least
// workers_min. kGatherShare: the share of the time to the deadline that this may take.
// kGatherAgainS: seconds to wait for workers of an earlier coordinator, which run already and call
// once a second.
constexpr double kGatherS = 60;
constexpr double kGatherShare = 0.25;
constexpr double kGatherAgainS = 3;
// Share of the time to the deadline. If it has passed before training begins, the log has a
// warning.
constexpr double kWarnShare = 0.2;
// A larger share of the time to the deadline that passed before the workers were started is named.
constexpr double kMentionedShare = 0.05;

// The reason for which no time is left to train.
std::string no_time_text(const Ledger& ledger) {
  const double left_s = ledger.state().record.deadline_s - ledger.now_s();
  if (left_s <= 0) return "the deadline has passed";
  return fmt::format("the deadline is near: the last {} are needed to certify the result",
                     time_words(left_s));
}

}  // namespace

GatherPhase::GatherPhase(const PhaseContext& context, bool has_running_workers) : Phase(context) {
  limit_s_ = has_running_workers || state().workers.joined_by_itself_away > 0
                 ? kGatherAgainS
                 : std::min(kGatherS, kGatherShare * state().record.deadline_s);
}

PhaseChange GatherPhase::begin() {
  ledger().begin_phase(RunPhase::kGather);
  staffing().start(first_nodes());
  return Stay{};
}

PhaseChange GatherPhase::on_trainer_event(const TrainerEvent& event) {
  static_cast<void>(event);  // The trainer has no order yet.
  return Stay{};
}

std::optional<Wanted> GatherPhase::wanted() const {
  auto wanted = Phase::wanted();
  wanted->gathers = true;
  return wanted;
}

void GatherPhase::on_nodes_changed() { staffing().start(first_nodes()); }

// A pool evaluates the passes of a resumed run again when it begins, which can take longer than a
// worker waits for its welcome. So it begins at the next tick, after the worker is welcomed.
PhaseChange GatherPhase::on_joined() {
  const bool evaluates = !state().stop && uses_pool(config(), state()) && !state().passes.empty();
  return evaluates ? Stay{} : check();
}

PhaseChange GatherPhase::on_tick() {
  PhaseChange next = check();
  if (std::holds_alternative<Stay>(next)) next = watch_deadline();
  if (std::holds_alternative<Stay>(next)) next = watch_budget();
  return next;
}

// Nodes to start at the beginning: those of the current plan, or otherwise those that the profile
// needs.
NodeTarget GatherPhase::first_nodes() const {
  const job::ClusterSpec& cluster = config().job.cluster;
  NodeTarget target;
  target.at_least = cluster.workers_min;
  target.only_first = !state().record.plan;
  if (const auto& plan = state().record.plan) {
    const auto from = newest_checkpoint(state());
    const std::uint32_t block = from ? from->block() : plan->first_block;
    SURETY_CHECK(block < plan->blocks.size());
    target.counts = plan->blocks[block].counts;
    if (!target.counts.empty()) return target;
  }
  std::uint32_t count = cluster.nodes.front().local;
  const std::vector<std::uint32_t>& measured = config().job.profile.workers;
  if (!state().record.plan && !measured.empty()) {
    count = std::min(count, *std::max_element(measured.begin(), measured.end()));
  }
  target.counts = {{cluster.nodes.front().name, count}};
  return target;
}

// ---- workers that have joined -------------------------------------------------------------------

bool GatherPhase::is_complete() const {
  // For a certification, one worker is enough.
  const std::uint32_t least = state().stop ? 1 : config().job.cluster.workers_min;
  if (context().workforce.staying() < least) return false;
  const bool all = context().workforce.awaited() == 0 &&
                   state().workers.joined_by_itself.size() >= state().workers.joined_by_itself_away;
  return all || ledger().now_s() - ledger().phase_began_s() > limit_s_;
}

Waiting GatherPhase::waiting() const {
  const std::uint32_t staying = context().workforce.staying();
  const std::size_t wanted = std::max<std::size_t>(config().job.cluster.workers_min,
                                                   staying + context().workforce.awaited());
  return {fmt::format("{} of {} {} joined", staying, counted(wanted, "worker"),
                      staying == 1 || wanted == 1 ? "has" : "have"),
          ledger().phase_began_s()};
}

PhaseChange GatherPhase::check() {
  if (!is_complete()) return Stay{};
  log_time_taken();
  if (state().stop) {
    return EnterCertify{state().stop->reason(), state().stop->target_met()};
  }
  const bool has_plan = config().mode == RunMode::kTrain || state().record.plan;
  const bool trains = has_plan || uses_pool(config(), state());
  if (trains && has_no_time()) return end_without_training();
  if (has_plan) return EnterTraining{};
  if (trains) return EnterPool{};
  if (!state().profile_runs.finished.links.empty()) return EnterProfile{};
  return EnterProbe{};
}

void GatherPhase::log_time_taken() {
  const double took_s = ledger().now_s() - ledger().phase_began_s();
  const double deadline_s = state().record.deadline_s;
  if (context().workforce.awaited() > 0) {
    ledger().log(fmt::format("{}, and the run continues without the others, which may join later",
                             waiting().what));
  }
  if (took_s < kWarnShare / 2 * deadline_s) return;
  const double before_s = ledger().phase_began_s();
  ledger().log(fmt::format(
      "starting workers took {}; {} of the {} to the deadline are left{}", time_words(took_s),
      time_words(std::max(0.0, deadline_s - ledger().now_s())), time_words(deadline_s),
      before_s > kMentionedShare * deadline_s
          ? fmt::format("; {} had passed before that", time_words(before_s))
          : ""));
}

// ---- time and money -----------------------------------------------------------------------------

bool GatherPhase::has_no_time() const {
  return ledger().now_s() > state().record.deadline_s - ledger().certify_reserve_s();
}

PhaseChange GatherPhase::end_without_training() {
  if (!may_refuse()) return EnterCertify{no_time_text(ledger()), false};
  return refuse(ledger(), plan::ReasonClass::kDeadline,
                fmt::format("not a single pass can end: after {} of {}, {}{}. A later "
                            "promise.deadline, or fewer workers (cluster.local), would leave time "
                            "to train",
                            time_words(ledger().now_s()), time_words(state().record.deadline_s),
                            is_complete() ? "" : "only ", waiting().what));
}

// Warns while the user can still react; refuses the promise once no pass can end in time.
PhaseChange GatherPhase::watch_deadline() {
  if (config().mode == RunMode::kProfile) return Stay{};
  if (state().stop) {
    if (!ledger().is_past_grace()) return Stay{};
    return EndRun{"no worker was left to certify the result"};
  }
  if (has_no_time()) return end_without_training();
  const double deadline_s = state().record.deadline_s;
  const double took_s = ledger().now_s() - ledger().phase_began_s();
  if (warned_ || took_s < kWarnShare * deadline_s) return Stay{};
  warned_ = true;
  const char* why = config().starts_workers ? "starting workers takes long on this machine"
                                            : "workers have to join from other machines";
  ledger().log(fmt::format(
      "warning: {} of the {} to the deadline have passed, and {}: {}, so the promise may be missed",
      time_words(took_s), time_words(deadline_s), waiting().what, why));
  return Stay{};
}

// Workers cost money once they are present. If that alone uses up the budget, no pass is possible.
PhaseChange GatherPhase::watch_budget() {
  if (state().stop || !may_refuse() || !ledger().is_out_of_money()) return Stay{};
  return refuse(
      ledger(), plan::ReasonClass::kBudget,
      fmt::format("not a single pass can end: a budget of {} does not even pay for the time until "
                  "all workers have joined: {} after {}, and they cost {} per second. A larger "
                  "promise.budget, or fewer workers (cluster.local), would leave money to train",
                  money(*config().job.promise.budget), waiting().what, time_words(ledger().now_s()),
                  money(price_per_s(state(), config().job.cluster))));
}

bool GatherPhase::may_refuse() const {
  return uses_pool(config(), state()) && state().passes.empty() && !config().job.best_effort;
}

}  // namespace surety::orchestrator
