#include "orchestrator/workforce/workforce.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

// Workers of one invitation that may be present at the same time. Each of them is paid for, and a
// stolen invitation should not admit any number.
constexpr std::size_t kWorkersOfInvitation = 16;

// The present workers with this invitation; 0 without one.
std::size_t joined_with(const std::optional<std::string>& invitation, const RunState& state) {
  if (!invitation) return 0;
  std::size_t count = 0;
  for (const auto& [worker, name] : state.workers.invited) {
    count += name == invitation && state.workers.present.contains(worker);
  }
  return count;
}

// Lost workers are replaced, but only up to a limit: if workers repeatedly crash at once, new ones
// will not help. The limit is this number of losses, for each node that is wanted or was present,
// without a finished pass in between.
constexpr std::uint32_t kLossesMax = 8;

// The reasons for which workers leave, for the log and for the workers' own logs.
constexpr const char* kHandedOver = "its chunks were handed over";
constexpr const char* kNoPlace = "another worker has taken its place";

Time as_time(double run_s) { return Time{from_seconds(run_s)}; }

Command welcome_of(const JobConfig& config, const RunState& state, WorkerId worker) {
  Command command{worker, {}};
  proto::Welcome& welcome = *command.message.mutable_welcome();
  welcome.set_worker(worker.value);
  welcome.set_split_seed(config.job.train.seed);
  welcome.set_run(identity(state));
  welcome.set_term(state.term);
  for (const data::SourceInfo& source : config.sources) {
    *welcome.add_sources() = protocol::to_proto(source);
  }
  if (config.validation) *welcome.mutable_validation() = protocol::to_proto(*config.validation);
  return command;
}

// Whether the new worker may have been this worker before. An invited worker cannot claim to be one
// that joined in another way.
bool may_have_been(WorkerId before, const WorkerHello& event, const RunState& state) {
  if (!event.invitation) return true;
  const auto known = state.workers.invited.find(before);
  return known != state.workers.invited.end() && known->second == event.invitation;
}

}  // namespace

Command bye_to(WorkerId worker, const std::string& reason) {
  Command bye{worker, {}};
  bye.message.mutable_bye()->set_reason(reason);
  return bye;
}

void dismiss_all(Ledger& ledger, const elastic::Membership& membership, const std::string& reason) {
  for (const WorkerId worker : membership.present()) ledger.add(Send{bye_to(worker, reason)});
}

Workforce::Workforce(const JobConfig& config, Ledger& ledger, Trainer& trainer, NodePool& pool,
                     Places& places, std::function<void()> on_gone)
    : config_(config),
      ledger_(ledger),
      trainer_(trainer),
      pool_(pool),
      places_(places),
      on_gone_(std::move(on_gone)),
      membership_({}, ledger.state().workers.last_id) {}

// ---- joins --------------------------------------------------------------------------------------

void Workforce::welcome(const WorkerHello& event, bool takes_part) {
  const RunState& state = ledger_.state();
  const std::string& type = config_.job.cluster.find(event.hello.node_type())->name;
  const bool joined_by_itself = event.origin == Origin::kJoinedByItself;
  const WorkerId before{event.hello.worker()};
  const bool was_here = event.hello.run() == identity(state) && may_have_been(before, event, state);
  // The worker's connection broke, and the worker noticed it before this coordinator did.
  const bool calls_again = was_here && membership_.is_present(before);
  if (calls_again) remove(before, DepartureKind::kLost, "it has connected again");
  const WorkerId worker = membership_.join(as_time(ledger_.now_s()));
  most_present_ = std::max(most_present_, static_cast<std::uint32_t>(membership_.present().size()));
  proto::JournalRecord record;
  proto::WorkerJoined& fact = *record.mutable_worker_joined();
  fact.set_worker(worker.value);
  fact.set_host(event.hello.host());
  fact.set_pid(event.hello.pid());
  fact.set_node_type(type);
  fact.set_joined_by_itself(joined_by_itself);
  if (event.invitation) fact.set_invitation(*event.invitation);
  ledger_.append(std::move(record));
  ledger_.add(Admit{event.connection, worker});
  ledger_.add(Send{welcome_of(config_, state, worker)});
  if (event.origin == Origin::kCallsAgain) {
    pool_.on_requested({type, 1});  // It is not one of the requested workers.
  }
  pool_.on_joined(worker, type, joined_by_itself);
  if (joined_with(event.invitation, state) > kWorkersOfInvitation) {
    const std::string reason =
        fmt::format("{} other workers have joined with the same invitation, which is the most",
                    kWorkersOfInvitation);
    ledger_.log(fmt::format("worker {} is dismissed: {}", worker, reason));
    pool_.on_left(worker);
    if (calls_again) trainer_.lose(before);
    return send_bye(worker, reason);
  }
  if (!joined_by_itself &&
      !places_.take(worker, type, was_here ? std::optional(before) : std::nullopt)) {
    ledger_.log(fmt::format("worker {} is dismissed: {}", worker, kNoPlace));
    pool_.on_left(worker);
    // If it was leaving, the pool may still wait for its old id.
    if (calls_again) trainer_.lose(before);
    return send_bye(worker, kNoPlace);
  }
  if (!takes_part) {
    if (calls_again) trainer_.lose(before);
    waiting_[worker] = event.hello.transport_address();
    return;
  }
  std::vector<std::uint32_t> chunks;
  if (was_here) chunks.assign(event.hello.chunks().begin(), event.hello.chunks().end());
  trainer_.join(worker, event.hello.transport_address(), std::move(chunks),
                calls_again ? std::optional(before) : std::nullopt);
}

void Workforce::enlist_waiting() {
  all_types_count_ = true;
  for (auto& [worker, address] : std::exchange(waiting_, {})) {
    trainer_.join(worker, std::move(address));
  }
}

void Workforce::on_message(WorkerId worker) {
  membership_.on_message(worker, as_time(ledger_.now_s()));
}

bool Workforce::counts_all_types() const {
  return all_types_count_ || ledger_.state().record.plan.has_value();
}

std::uint32_t Workforce::staying() const {
  if (counts_all_types()) return pool_.size();
  return pool_.count(config_.job.cluster.nodes.front().name);
}

std::uint32_t Workforce::awaited() const { return pool_.awaited() + places_.vacant(); }

bool Workforce::is_empty() const { return membership_.present().empty() && awaited() == 0; }

// ---- departures ---------------------------------------------------------------------------------

void Workforce::lose(WorkerId worker, const std::string& reason) {
  places_.on_lost(worker, ledger_.now_s());
  drop(worker, DepartureKind::kLost, reason);
}

void Workforce::give_up(const FaultyWorker& faulty) {
  Command bye = bye_to(faulty.worker, faulty.reason);
  // Its user, and not this coordinator, reacts to its end.
  if (ledger_.state().workers.joined_by_itself.contains(faulty.worker)) {
    bye.message.mutable_bye()->set_fault(faulty.fault);
  }
  ledger_.add(Send{std::move(bye)});
  lose(faulty.worker, faulty.reason);
}

void Workforce::drop(WorkerId worker, DepartureKind how, const std::string& reason) {
  remove(worker, how, reason);
  trainer_.lose(worker);
  on_gone_();
}

void Workforce::remove(WorkerId worker, DepartureKind how, const std::string& reason) {
  membership_.on_gone(worker);
  pool_.on_left(worker);
  waiting_.erase(worker);
  leaving_.erase(worker);
  if (how == DepartureKind::kLost) ++losses_;
  proto::JournalRecord record;
  record.mutable_worker_gone()->set_worker(worker.value);
  record.mutable_worker_gone()->set_kind(std::string(name_of(how)));
  record.mutable_worker_gone()->set_reason(reason);
  ledger_.append(std::move(record));
  ledger_.add(Disconnect{worker});
}

bool Workforce::leave(WorkerId worker) {
  if (!leaving_.insert(worker).second) return false;
  pool_.on_left(worker);
  places_.on_left(worker);
  if (waiting_.contains(worker)) {
    send_bye(worker, kHandedOver);
  } else {
    trainer_.leave(worker);
  }
  return true;
}

void Workforce::send_bye(WorkerId worker, const std::string& reason) {
  ledger_.add(Send{bye_to(worker, reason)});
  drop(worker, DepartureKind::kLeft, reason);
}

void Workforce::release_departed() {
  for (const WorkerId worker : trainer_.departed()) send_bye(worker, kHandedOver);
}

void Workforce::on_process_ended(const WorkerProcessEnded& event) {
  if (event.worker) places_.on_process_ended(*event.worker);
  if (event.joined) return;
  ++losses_;
  pool_.on_ended(event.type);
  places_.on_never_joined(event.type, ledger_.now_s());
}

void Workforce::lose_silent() {
  const std::vector<elastic::Departure> silent = membership_.tick(as_time(ledger_.now_s()));
  for (const elastic::Departure& one : silent) {
    places_.on_lost(one.worker, ledger_.now_s());
    remove(one.worker, DepartureKind::kLost, one.reason);
    trainer_.lose(one.worker);
  }
  if (!silent.empty()) on_gone_();
}

// ---- losses -------------------------------------------------------------------------------------

void Workforce::on_pass() {
  places_.on_pass();
  losses_ = 0;
  most_present_ = static_cast<std::uint32_t>(membership_.present().size());
}

bool Workforce::may_replace(std::uint32_t nodes) const {
  return losses_ < kLossesMax * std::max(nodes, most_present_);
}

}  // namespace surety::orchestrator
