#include "fabric/scheduler/scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "fabric/scheduler/scheduler_state.h"

namespace surety::fabric {
namespace {

// A worker computes on its newest model, and with overlap on the one before.
constexpr std::size_t kModelsKept = 3;

}  // namespace

Scheduler::Scheduler(SchedulerOptions options) : state_(std::make_unique<State>(options)) {}
Scheduler::~Scheduler() = default;

Scheduler::State::State(SchedulerOptions given)
    : options(std::move(given)),
      cluster(options.cluster),
      planner(options.shares),
      quorum(options.quorum),
      guard(options.consecutive_drops_max == 0 ? std::numeric_limits<std::uint32_t>::max()
                                               : options.consecutive_drops_max),
      push{BlockRotation(options.blocks, options.cluster.classes), {}},
      pull{BlockRotation(options.blocks, options.cluster.classes), {}},
      versions(options.blocks, 0),
      epochs(options.blocks, epoch) {
  SURETY_CHECK(!options.owners.empty() && options.block_bytes > 0);
  for (const Owner& owner : options.owners) may_own.push_back(owner.host);
  push.lanes.resize(options.cluster.classes);
  pull.lanes.resize(options.cluster.classes);
}

std::vector<Action> Scheduler::step(Time now, const Event& event) {
  State& state = *state_;
  SURETY_CHECK(now >= state.now);
  state.now = now;
  state.actions.clear();
  std::visit([&](const auto& one) { state.on(one); }, event);
  // A decision may drop updates, and that may allow other workers to pull.
  while (state.release_due || state.decide_push || state.decide_pull) {
    if (std::exchange(state.release_due, false)) state.release_pulls();
    if (std::exchange(state.decide_push, false)) state.decide(Direction::kPush);
    if (std::exchange(state.decide_pull, false)) state.decide(Direction::kPull);
  }
  return std::move(state.actions);
}

Port Scheduler::port(HostId host) const {
  const Cluster& cluster = state_->cluster;
  return {cluster.rate(host, PortSide::kOut), cluster.rate(host, PortSide::kIn)};
}
bool Scheduler::has_fast_port(HostId host) const { return state_->cluster.has_fast_port(host); }

std::uint64_t Scheduler::version(std::uint32_t block) const { return state_->versions[block]; }
std::size_t Scheduler::rounds() const { return state_->live.size(); }
std::size_t Scheduler::pending_updates() const { return state_->push.rotation.size(); }
double Scheduler::reserved_most() const { return state_->reserved_most; }

std::uint32_t Scheduler::State::class_of(HostId host, Direction direction) const {
  return cluster.speed_class(host, side_of(direction));
}

void Scheduler::State::on(const Join& join) {
  if (cluster.is_present(join.host)) return;
  cluster.join(join.host, join.nominal, join.aggregates);
  if (join.host.value >= hosts.size()) hosts.resize(join.host.value + 1);
  hosts[join.host.value] = {.is_worker = join.is_worker};
  if (join.is_worker) quorum.join(join.host);
  decide_push = decide_pull = true;
}

void Scheduler::State::on(const HostSuspect& suspect) { lose(suspect.host); }

void Scheduler::State::on(const Retire& retire) {
  const HostId id = retire.worker;
  if (!cluster.is_present(id) || !hosts[id.value].is_worker) return;
  hosts[id.value].is_retired = true;
  quorum.leave(id);
  release_due = true;
}

void Scheduler::State::lose(HostId id) {
  if (!cluster.is_present(id)) return;
  cluster.leave(id);
  Host& host = hosts[id.value];
  for (auto& [round, of] : live) {
    if (std::binary_search(of.takes_part.begin(), of.takes_part.end(), id)) {
      abort(round, of, {Reason::kHostLost});
    }
  }
  // Items in a round are removed when it ends. By then the host does not know them any more.
  if (host.update) {
    actions.push_back(DropUpdate{
        host.update->id, push.rotation.item(host.update->item).need, {Reason::kHostLost}});
    if (!push.rotation.item(host.update->item).in_round) push.rotation.remove(host.update->item);
  }
  if (host.pull && !pull.rotation.item(*host.pull).in_round) pull.rotation.remove(*host.pull);
  if (host.is_worker) quorum.leave(id);
  guard.on_left(id);
  host = {};
  release_due = true;
}

void Scheduler::State::on(const PushReady& ready) {
  const HostId id = ready.update.worker;
  if (!cluster.is_present(id) || !hosts[id.value].is_worker || hosts[id.value].is_retired) return;
  Host& host = hosts[id.value];
  if (host.update || seen.admit(ready.update) != Admission::kFirst) return;
  Pending update{.id = ready.update, .arrival = ++arrivals};
  // A model that is no longer stored is at least as old as the oldest that is.
  update.read.assign(options.blocks, 0);
  for (const Model& model : host.models) {
    update.read = model.versions;
    if (model.number >= ready.read) break;
  }
  for (const std::uint64_t version : update.read) {
    update.read_mean += static_cast<double>(version) / options.blocks;
  }
  update.item = push.rotation.add(id, all_blocks(options.blocks), class_of(id, Direction::kPush));
  host.update = std::move(update);
  decide_push = true;
}

void Scheduler::State::on(const PullRequest& request) {
  const HostId id = request.worker;
  if (!cluster.is_present(id) || !hosts[id.value].is_worker) return;
  if (hosts[id.value].pull || quorum.waits(id)) return;
  if (hosts[id.value].is_retired) return start_pull(id);
  quorum.wait(id);
  release_due = true;
}

void Scheduler::State::release_pulls() {
  for (const HostId id : quorum.release()) start_pull(id);
}

void Scheduler::State::start_pull(HostId id) {
  Host& host = hosts[id.value];
  host.pull = pull.rotation.add(id, all_blocks(options.blocks), class_of(id, Direction::kPull));
  host.pulling = {++host.pulls, std::vector<std::uint64_t>(options.blocks, 0)};
  decide_pull = true;
}

void Scheduler::State::on(const Progress& progress) {
  if (!cluster.is_present(progress.host) || progress.bytes_per_s <= 0) return;
  cluster.observe(now, progress.host, progress.side, progress.bytes_per_s);
}

void Scheduler::State::on(const Tick&) {
  cluster.refresh(now);
  for (Side* of : {&push, &pull}) {
    const Direction direction = of == &push ? Direction::kPush : Direction::kPull;
    std::vector<ItemId> items;
    for (std::uint32_t c = 0; c < of->lanes.size(); ++c) {
      const auto some = of->rotation.items(c);
      items.insert(items.end(), some.begin(), some.end());
    }
    for (const ItemId item : items) {
      const HostId host = of->rotation.item(item).host;
      if (!of->rotation.item(item).in_round && cluster.is_present(host)) {
        of->rotation.set_class(item, class_of(host, direction));
      }
    }
  }
  place_owners();
  check_slow_rounds();
  decide_push = decide_pull = true;
}

void Scheduler::State::on(const RoundCommitted& ended) { end_round(ended.round, true); }

void Scheduler::State::on(const RoundAborted& ended) { end_round(ended.round, false); }

void Scheduler::State::end_round(RoundId id, bool done) {
  const auto at = live.find(id);
  if (at == live.end()) return;
  const Round round = std::move(at->second);
  live.erase(at);
  Side& of = side(round.direction);
  of.lanes[round.speed_class].round.reset();
  cluster.release(round.loads, round.bytes_per_s);
  of.rotation.finish(round.block, round.items, done);
  if (round.direction == Direction::kPush && done) {
    const double age_s = to_seconds(now - commits_at) / 2;
    const double updates = static_cast<double>(round.items.size()) / options.blocks;
    commits_per_s = commits_per_s * std::exp(-age_s) + updates / 2;
    commits_at = now;
    versions[round.block] += round.items.size();
    committed += round.items.size();
  }
  for (const ItemId item : round.items) end_item(round.direction, item, round.block, done);
  decide_push = decide_pull = true;  // The ended round has returned its share of the network.
}

void Scheduler::State::end_item(Direction direction, ItemId item, std::uint32_t block, bool done) {
  Side& of = side(direction);
  const HostId id = of.rotation.item(item).host;
  Host& host = hosts[id.value];
  const bool pushes = direction == Direction::kPush;
  const bool known = pushes ? host.update && host.update->item == item : host.pull == item;
  if (!known) return of.rotation.remove(item);  // Its host was lost.
  of.rotation.set_class(item, class_of(id, direction));
  if (!done) return;
  if (pushes) host.update->committed |= block_bit(block);
  if (of.rotation.item(item).need != 0) return;
  pushes ? finish_update(host) : finish_pull(id);
}

void Scheduler::State::finish_update(Host& host) {
  const Pending update = std::move(*host.update);
  host.update.reset();
  push.rotation.remove(update.item);
  if (update.committed != 0) guard.on_accepted(update.id.worker);
  actions.push_back(UpdateDone{update.id, update.committed, {Reason::kComplete}});
  quorum.on_finished(update.id.worker);
  release_due = true;
}

void Scheduler::State::finish_pull(HostId id) {
  Host& host = hosts[id.value];
  pull.rotation.remove(*host.pull);
  host.pull.reset();
  actions.push_back(ModelReady{id, host.pulling.number, {Reason::kComplete}});
  host.models.push_back(std::move(host.pulling));
  if (host.models.size() > kModelsKept) host.models.erase(host.models.begin());
}

void Scheduler::State::drop(Host& host, BlockMask blocks, Explanation why) {
  Pending& update = *host.update;
  actions.push_back(DropUpdate{update.id, blocks, why});
  push.rotation.drop(update.item, blocks);
  if (push.rotation.item(update.item).need != 0) return;
  if (update.committed == 0) guard.on_dropped(update.id.worker);
  finish_update(host);
}

}  // namespace surety::fabric
