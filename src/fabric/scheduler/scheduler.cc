#include "fabric/scheduler/scheduler.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/check.h"

namespace surety::fabric {
namespace {

// For a round that has waited for at least this long, RoundPlanner squares the patience on an idle
// network.
constexpr Duration kLongWait = std::chrono::milliseconds(100);

std::vector<WorkerId> ids_of(const WorkerPorts& workers) {
  std::vector<WorkerId> ids;
  for (const auto& [worker, port] : workers) ids.push_back(worker);
  return ids;
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options)
    : options_(options),
      cluster_(options.cluster, options.workers),
      quorum_(options.quorum, ids_of(options.workers)),
      versions_(options.blocks),
      owners_(options),
      updates_(options, cluster_, versions_),
      pulls_(options.blocks, cluster_, versions_),
      planner_(options, cluster_),
      rounds_(options, cluster_, planner_),
      turns_{ClassTurns(options.cluster.classes), ClassTurns(options.cluster.classes)} {
  SURETY_CHECK(options_.block_bytes > 0);
  for (const Share& owner : options_.owners) SURETY_CHECK(options_.workers.contains(owner.worker));
}

Port Scheduler::port(WorkerId worker) const {
  return {cluster_.rate(worker, PortSide::kOut), cluster_.rate(worker, PortSide::kIn)};
}

std::vector<Action> Scheduler::step(Time now, const Event& event) {
  SURETY_CHECK(now >= now_);
  now_ = now;
  actions_.clear();
  std::visit([&](const auto& one) { on(one); }, event);
  // A decision may drop updates, and that may allow other workers to pull.
  for (note_finished(); due_.release || due_.push || due_.pull; note_finished()) {
    if (std::exchange(due_.release, false)) {
      for (const WorkerId worker : quorum_.release()) {
        pulls_.add(worker);
        due_.pull = true;
      }
    }
    if (std::exchange(due_.push, false)) decide(Direction::kPush);
    if (std::exchange(due_.pull, false)) decide(Direction::kPull);
  }
  return std::move(actions_);
}

void Scheduler::note_finished() {
  for (const WorkerId worker : updates_.take_finished()) {
    quorum_.on_finished(worker);
    due_.release = true;
  }
}

// ---- workers and their requests
// -------------------------------------------------------------------

void Scheduler::on(const Retire& retire) {
  if (!quorum_.has(retire.worker)) return;
  quorum_.leave(retire.worker);
  due_.release = true;
}

void Scheduler::on(const PushReady& ready) {
  const WorkerId worker = ready.update.worker;
  if (!quorum_.has(worker)) return;
  if (updates_.add(ready.update, pulls_.versions_of(worker, ready.read))) due_.push = true;
}

void Scheduler::on(const PullRequest& request) {
  const WorkerId worker = request.worker;
  if (pulls_.is_pulling(worker) || quorum_.waits(worker)) return;
  if (quorum_.has(worker)) {
    quorum_.wait(worker);
    due_.release = true;
  } else {  // It has retired, and does not wait for others.
    pulls_.add(worker);
    due_.pull = true;
  }
}

void Scheduler::on(const RateMeasured& measured) {
  if (measured.bytes_per_s <= 0) return;
  cluster_.observe(now_, measured.worker, measured.side, measured.bytes_per_s);
}

void Scheduler::on(const Tick&) {
  cluster_.refresh(now_);
  updates_.follow_ports();
  pulls_.follow_ports();
  if (auto place = owners_.follow_ports(now_, cluster_)) actions_.push_back(*std::move(place));
  due_.push = due_.pull = true;
}

// ---- rounds -------------------------------------------------------------------------------------

void Scheduler::on(const RoundCommitted& committed) {
  const auto round = rounds_.end(committed.round);
  if (!round) return;
  turns_[static_cast<std::size_t>(round->direction)].end(round->speed_class);
  if (round->direction == Direction::kPush) {
    versions_.commit(now_, round->block, round->items.size());
    updates_.end(round->block, round->items, actions_);
  } else {
    pulls_.end(round->block, round->items, actions_);
  }
  due_.push = due_.pull = true;  // The ended round has released its share of the network.
}

void Scheduler::decide(Direction direction) {
  ClassTurns& turns = turns_[static_cast<std::size_t>(direction)];
  const BlockRotation& rotation =
      direction == Direction::kPush ? updates_.rotation() : pulls_.rotation();
  for (const std::uint32_t c : turns.order()) {
    if (turns.has_round(c) || rotation.items(c).empty() || try_start(direction, c)) {
      turns.stop_waiting(c);
    } else {
      turns.wait(c, now_);
    }
  }
}

bool Scheduler::try_start(Direction direction, std::uint32_t speed_class) {
  LiveRound round{.direction = direction, .speed_class = speed_class, .owners = owners_.shares()};
  if (!choose(round)) return false;
  const RoundGroup group{direction, round.members, round.owners};
  auto plan = planner_.plan(group);
  if (!plan) return false;
  if (rounds_.size() > 0) {
    const auto since = turns_[static_cast<std::size_t>(direction)].waiting_since(speed_class);
    const bool has_waited_long = since && now_ - *since >= kLongWait;
    if (planner_.is_worth_waiting(group, *plan, has_waited_long)) return false;
  }
  start(std::move(round), *std::move(plan));
  return true;
}

// Chooses the block and the members of a round, and returns false if it would have none. Updates
// that are too stale are dropped.
bool Scheduler::choose(LiveRound& round) {
  const bool pushes = round.direction == Direction::kPush;
  if (pushes) updates_.drop_stale(round.speed_class, actions_);
  const BlockRotation& rotation = pushes ? updates_.rotation() : pulls_.rotation();
  BlockMask allowed = all_blocks(options_.blocks);
  while (const auto block = rotation.next_block(round.speed_class, allowed)) {
    rotation.waiting_for(round.speed_class, *block, round.items);
    if (rounds_.size() > 0) {
      std::erase_if(round.items, [&](ItemId item) {
        return !planner_.is_reachable(rotation.item(item).worker, round.direction);
      });
    }
    if (!round.items.empty()) {
      round.block = *block;
      round.members = rotation.workers_of(round.items);
      return true;
    }
    allowed &= ~block_bit(*block);
  }
  return false;
}

void Scheduler::start(LiveRound round, SharePlan plan) {
  if (const auto from = owners_.move(round.block)) {
    actions_.push_back(MoveBlock{rounds_.next_id(), round.block, *from, owners_.placement()});
  }
  const RoundId id = rounds_.start(round, plan);
  turns_[static_cast<std::size_t>(round.direction)].start(round.speed_class);
  if (round.direction == Direction::kPush) {
    updates_.start(round.speed_class, round.block, round.items);
  } else {
    pulls_.start(round.speed_class, round.block, round.items);
  }
  actions_.push_back(Grant{.round = id,
                           .direction = round.direction,
                           .block = round.block,
                           .placement = owners_.placement(),
                           .speed_class = round.speed_class,
                           .members = std::move(round.members),
                           .plan = std::move(plan)});
}

}  // namespace surety::fabric
