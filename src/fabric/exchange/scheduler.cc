#include "fabric/exchange/scheduler.h"

#include <algorithm>

#include "base/overloaded.h"
#include "fabric/ports/port_message.h"
#include "fabric/ports/typical_rate.h"

namespace surety::fabric {
namespace {

constexpr Duration kObserve = std::chrono::milliseconds(150);

// Ports above half of the fastest rate, above a quarter of it, and slower ones.
constexpr std::uint32_t kClasses = 3;

SchedulerOptions core_options(const ExchangeOptions& options) {
  SchedulerOptions core{
      .blocks = options.blocks,
      .block_bytes = static_cast<double>(options.elements) * sizeof(float) / options.blocks,
      .quorum = options.quorum,
      .staleness_max = options.staleness_max};
  core.cluster.classes = options.owners.size() > 1 ? kClasses : 1;
  for (const WorkerId worker : options.workers) core.workers.emplace(worker, options.nominal);
  core.owners = options.owners;
  return core;
}

}  // namespace

ExchangeScheduler::ExchangeScheduler(const ExchangeOptions& options, Time now)
    : options_(options),
      core_(core_options(options)),
      owners_{{kFirstPlacement, options.owners}},
      working_(options.workers.begin(), options.workers.end()) {
  for (const auto& [worker, port] : options_.slow_ports) {
    if (!working_.contains(worker)) continue;
    for (const PortSide side : {PortSide::kOut, PortSide::kIn}) {
      post(now, RateMeasured{worker, side,
                             std::min(rate_of(port, side), rate_of(options_.nominal, side))});
    }
  }
  if (!options_.slow_ports.empty()) post(now, Tick{});
}

void ExchangeScheduler::post(Time now, Event event) {
  events_.push_back(std::move(event));
  if (is_stepping_) return;
  is_stepping_ = true;
  while (!events_.empty()) {
    const Event next = std::move(events_.front());
    events_.pop_front();
    for (const Action& action : core_.step(now, next)) carry_out(action);
  }
  is_stepping_ = false;
}

void ExchangeScheduler::carry_out(const Action& action) {
  std::visit(
      Overloaded{
          [&](const Grant& round) { grant(round); },
          [&](const DropUpdate& drop) {
            ++counts_.dropped;
            auto& dropped =
                *outgoing_.emplace_back(Outgoing{drop.update.worker, {}}).message.mutable_dropped();
            dropped.set_update(drop.update.number);
            dropped.set_blocks(drop.blocks);
          },
          [&](const UpdateDone& done) { request_model(done.update.worker); },
          [&](const ModelReady& ready) {
            pulling_.erase(ready.worker);
            if (pull_again_.erase(ready.worker) > 0) request_model(ready.worker);
          },
          [&](const PlaceOwners& change) { place(change); },
          [&](const MoveBlock& change) { move(change); },
      },
      action);
}

void ExchangeScheduler::request_model(WorkerId worker) {
  if (pulling_.insert(worker).second) {
    events_.push_back(PullRequest{worker});
  } else {
    pull_again_.insert(worker);
  }
}

void ExchangeScheduler::grant(const Grant& grant) {
  const bool pulls = grant.direction == Direction::kPull;
  proto::ExchangeMessage message;
  proto::RoundGranted& granted = *message.mutable_granted();
  granted.set_round(grant.round);
  granted.set_pull(pulls);
  granted.set_block(grant.block);
  granted.set_direct(grant.plan.direct);
  granted.set_speed_class(grant.speed_class);
  granted.set_placement(grant.placement);
  std::set<WorkerId> all;
  for (const WorkerId member : grant.members) {
    granted.add_members(member.value);
    all.insert(member);
  }
  for (const Share& hub : grant.plan.shares) {
    granted.add_hubs(hub.worker.value);
    granted.add_fractions(hub.fraction);
    all.insert(hub.worker);
  }
  // If a block has fewer values than owners, some owners have no part of it.
  std::set<WorkerId> owners;
  for (const Lane& part : parts_of(options_, owners_.at(grant.placement), grant.block)) {
    owners.insert(part.hub);
  }
  all.insert(owners.begin(), owners.end());
  // Pushes of the block that are not committed yet, perhaps of a slow worker, are not part of the
  // version that the pull requests.
  for (const auto& [round, earlier] : under_way_) {
    const bool push = earlier.direction == Direction::kPush && earlier.block == grant.block;
    if (pulls && push) granted.add_without(round);
  }
  std::set<WorkerId> members(grant.members.begin(), grant.members.end());
  under_way_[grant.round] = {grant.direction, grant.block, std::move(pulls ? members : owners)};
  for (const WorkerId worker : all) outgoing_.push_back({worker, message});
}

void ExchangeScheduler::place(const PlaceOwners& place) {
  ++counts_.placements;
  counts_.placed_why.clear();
  for (const WorkerId worker : options_.workers) {
    if (core_.has_fast_port(worker)) continue;
    const Port port = core_.port(worker);
    counts_.placed_why += fmt::format("{}the port of worker {} carries {:.3g} MB/s",
                                      counts_.placed_why.empty() ? "" : ", ", worker,
                                      std::min(port.out_bytes_per_s, port.in_bytes_per_s) / 1e6);
  }
  if (counts_.placed_why.empty()) counts_.placed_why = "all ports have a similar rate again";
  owners_[place.placement] = place.owners;
  proto::ExchangeMessage message;
  message.mutable_placed()->set_placement(place.placement);
  for (const Share& owner : place.owners) {
    message.mutable_placed()->add_workers(owner.worker.value);
    message.mutable_placed()->add_fractions(owner.fraction);
  }
  for (const WorkerId worker : options_.workers) outgoing_.push_back({worker, message});
}

void ExchangeScheduler::move(const MoveBlock& move) {
  proto::ExchangeMessage message;
  message.mutable_moved()->set_round(move.round);
  message.mutable_moved()->set_block(move.block);
  message.mutable_moved()->set_from_placement(move.from_placement);
  message.mutable_moved()->set_placement(move.placement);
  std::set<WorkerId> either;
  for (const std::uint32_t placement : {move.from_placement, move.placement}) {
    for (const Share& owner : owners_.at(placement)) either.insert(owner.worker);
  }
  for (const WorkerId worker : either) outgoing_.push_back({worker, message});
}

Result<void> ExchangeScheduler::receive(Time now, WorkerId from,
                                        const proto::ExchangeMessage& message) {
  Result<void> taken;
  switch (message.message_case()) {
    case proto::ExchangeMessage::kOffered:
      taken = on_offered(now, from, message.offered());
      break;
    case proto::ExchangeMessage::kAcknowledged:
      taken = on_acknowledged(now, from, message.acknowledged().round());
      break;
    case proto::ExchangeMessage::kRetired:
      taken = on_retired(now, from);
      break;
    case proto::ExchangeMessage::kSeen:
      taken = on_port_seen(from, message.seen());
      break;
    default:
      return fail(ErrorCode::kCorrupt, "exchange: worker {} sent a message that it may not send",
                  from);
  }
  end_if_finished(now);
  return taken;
}

Result<void> ExchangeScheduler::on_offered(Time now, WorkerId from,
                                           const proto::UpdateOffered& offer) {
  Offers& offers = offers_[from];
  if (!working_.contains(from) || offer.update() != offers.last + 1) {
    return fail(ErrorCode::kCorrupt, "exchange: worker {} offered update {}, expected {}", from,
                offer.update(), offers.last + 1);
  }
  if (offers.unacknowledged > 0) {
    return fail(ErrorCode::kCorrupt,
                "exchange: worker {} offered update {} before it had the model after update {}",
                from, offer.update(), offers.last);
  }
  offers = {.last = offer.update(), .unacknowledged = options_.blocks};
  post(now, PushReady{{from, offer.update()}, offer.read()});
  return {};
}

Result<void> ExchangeScheduler::on_acknowledged(Time now, WorkerId from, RoundId round) {
  const auto at = under_way_.find(round);
  if (at == under_way_.end() || at->second.unacknowledged.erase(from) == 0) {
    return fail(
        ErrorCode::kCorrupt,
        "exchange: worker {} acknowledged round {}, although no acknowledgement was expected", from,
        round);
  }
  Offers& offers = offers_[from];
  // A worker that has retired pulls its last model without an update.
  if (at->second.direction == Direction::kPull && offers.unacknowledged > 0) {
    --offers.unacknowledged;
  }
  if (!at->second.unacknowledged.empty()) return {};
  under_way_.erase(at);
  post(now, RoundCommitted{round});
  return {};
}

Result<void> ExchangeScheduler::on_retired(Time now, WorkerId from) {
  if (offers_[from].unacknowledged > 0) {
    return fail(ErrorCode::kCorrupt,
                "exchange: worker {} retired before it had the model after update {}", from,
                offers_[from].last);
  }
  if (working_.erase(from) == 0) {
    return fail(ErrorCode::kCorrupt, "exchange: worker {} retired twice", from);
  }
  post(now, Retire{from});
  return {};
}

Result<void> ExchangeScheduler::on_port_seen(WorkerId from, const proto::PortSeen& seen) {
  const auto port = from_proto(seen);
  if (!port) return fail_in(port.error(), "exchange: worker {}", from);
  for (const CarriedRate& carried : {port->out, port->in}) {
    fastest_[from] = std::max(fastest_[from], carried.burst_bytes_per_s);
  }
  ports_[from] = *port;
  return {};
}

// The typical rate is known when half of the workers have reported. Once a worker has retired,
// ports may have little traffic, so their rates are not used.
void ExchangeScheduler::observe_ports(Time now) {
  if (now - observed_ < kObserve || 2 * fastest_.size() < options_.workers.size()) return;
  if (working_.size() < options_.workers.size()) return;
  observed_ = now;
  const double typical = typical_port().value_or(0);
  for (const auto& [worker, port] : std::exchange(ports_, {})) {
    for (const PortSide side : {PortSide::kOut, PortSide::kIn}) {
      const double nominal = rate_of(options_.nominal, side);
      const auto capacity =
          capacity_of(side == PortSide::kOut ? port.out : port.in, std::min(typical, nominal));
      if (capacity && *capacity > 0)
        post(now, RateMeasured{worker, side, std::min(*capacity, nominal)});
    }
  }
}

KnownPorts ExchangeScheduler::known_ports() const {
  KnownPorts known{.typical_bytes_per_s =
                       typical_port().value_or(options_.nominal.out_bytes_per_s)};
  for (const WorkerId worker : options_.workers) {
    if (!core_.has_fast_port(worker)) known.slow_ports[worker] = core_.port(worker);
  }
  return known;
}

std::optional<double> ExchangeScheduler::typical_port() const {
  std::vector<double> rates;
  for (const auto& [worker, rate] : fastest_) rates.push_back(rate);
  return typical_rate(std::move(rates));
}

void ExchangeScheduler::tick(Time now) {
  observe_ports(now);
  post(now, Tick{});
  end_if_finished(now);
}

void ExchangeScheduler::end_if_finished(Time now) {
  if (stage_ == Stage::kEnded || !working_.empty() || !pulling_.empty()) return;
  if (core_.rounds() > 0 || core_.pending_updates() > 0) return;
  if (stage_ == Stage::kWorking) {
    stage_ = Stage::kLastPulls;
    pulling_ = {options_.workers.begin(), options_.workers.end()};
    for (const WorkerId worker : options_.workers) post(now, PullRequest{worker});
    return;
  }
  stage_ = Stage::kEnded;
  for (const WorkerId worker : options_.workers) {
    outgoing_.emplace_back(Outgoing{worker, {}}).message.mutable_ended();
  }
}

}  // namespace surety::fabric
