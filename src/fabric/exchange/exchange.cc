#include "fabric/exchange/exchange.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "fabric/allreduce/reduce.h"
#include "fabric/ports/port_message.h"
#include "fabric/transport/little_endian.h"

namespace surety::fabric {
namespace {

// The first byte gives the type. In data the address follows, and then the values.
constexpr std::byte kControl{'C'};
constexpr std::byte kData{'D'};
constexpr std::size_t kHeader = 1 + 8 + 4 + 4;

std::vector<std::byte> framed(const Address& address, std::span<const std::byte> values) {
  std::vector<std::byte> bytes;
  bytes.reserve(kHeader + values.size());
  bytes.resize(kHeader);
  bytes[0] = kData;
  const std::span<std::byte> header(bytes);
  store_little_endian<std::uint64_t>(address.round, header.subspan(1, 8));
  store_little_endian<std::uint32_t>(address.part, header.subspan(9, 4));
  store_little_endian<std::uint32_t>(encode_step(address.step), header.subspan(13, 4));
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

bool contains(const std::vector<HostId>& hosts, HostId host) {
  return std::binary_search(hosts.begin(), hosts.end(), host);
}

using Ids = google::protobuf::RepeatedField<std::uint32_t>;
using Fractions = google::protobuf::RepeatedField<double>;

// Returns nullopt if hosts and fractions differ in number, or if there are more than `most`.
std::optional<std::vector<Share>> shares_of(const Ids& hosts, const Fractions& fractions,
                                            std::size_t most) {
  const auto count = static_cast<std::size_t>(hosts.size());
  if (hosts.size() != fractions.size() || count > most) return std::nullopt;
  std::vector<Share> shares;
  for (int i = 0; i < hosts.size(); ++i) shares.push_back({HostId{hosts[i]}, fractions[i]});
  return shares;
}

}  // namespace

Exchange::Exchange(const ExchangeOptions& options, HostId self, std::vector<float> model, Time now)
    : options_(options),
      self_(self),
      model_(std::move(model)),
      owners_{{kFirstEpoch, options.owners}} {
  SURETY_CHECK(model_.size() == options_.elements && contains(options_.hosts, self));
  pulling_ = std::make_shared<std::vector<float>>(model_.size());
  if (options_.scheduler == self_) scheduler_.emplace(options_, now);
}

// ---- the trainer's side -------------------------------------------------------------------------

Result<Ticket> Exchange::push(Time now, std::vector<float> update, std::uint32_t steps) {
  SURETY_CHECK(idle() && !retired_ && update.size() == options_.elements);
  if (!all_finite(update)) {
    return fail(ErrorCode::kDiverged, "an update has a value that is not finite");
  }
  update_ = Update{.number = ++updates_,
                   .under_way = all_blocks(options_.blocks),
                   .values = std::make_shared<std::vector<float>>(std::move(update))};
  proto::ExchangeMessage message;
  message.mutable_offered()->set_update(updates_);
  message.mutable_offered()->set_read(pulls_);
  message.mutable_offered()->set_steps(steps);
  notify_scheduler(now, std::move(message));
  carry_out(now);
  return updates_;
}

UpdateStage Exchange::stage(Ticket update) const {
  SURETY_CHECK(update >= 1 && update <= updates_);
  if (ended_ && has_last_) return UpdateStage::kDurable;
  if (!update_ || update < update_->number) return UpdateStage::kCommitted;
  return update_->under_way == 0 ? UpdateStage::kGranted : UpdateStage::kOffered;
}

std::optional<Exchange::Pulled> Exchange::take_pulled() { return std::exchange(pulled_, {}); }

void Exchange::retire(Time now) {
  SURETY_CHECK(idle() && !retired_);
  retired_ = true;
  proto::ExchangeMessage message;
  message.mutable_retired();
  notify_scheduler(now, std::move(message));
  carry_out(now);
}

bool Exchange::ended() const {
  return ended_ && has_last_ && rounds_.empty() && destinations().empty();
}

// ---- messages -----------------------------------------------------------------------------------

// Sends a message to the scheduler.
void Exchange::notify_scheduler(Time now, proto::ExchangeMessage message) {
  if (scheduler_) {
    // The scheduler always accepts the messages of its own host.
    SURETY_CHECK(scheduler_->receive(now, self_, message).has_value());
    return;
  }
  send_control(options_.scheduler, message);
}

void Exchange::send_control(HostId to, const proto::ExchangeMessage& message) {
  std::vector<std::byte> bytes(1 + message.ByteSizeLong());
  bytes[0] = kControl;
  SURETY_CHECK(message.SerializeToArray(bytes.data() + 1, static_cast<int>(bytes.size() - 1)));
  counts_.control_bytes += bytes.size();
  control_[to].push_back(std::move(bytes));
}

// Carries out what the scheduler has decided. Its messages to our own host may cause more
// decisions.
void Exchange::carry_out(Time now) {
  if (!scheduler_) return;
  for (auto outgoing = scheduler_->take(); !outgoing.empty(); outgoing = scheduler_->take()) {
    for (const auto& [to, message] : outgoing) {
      if (to != self_) {
        send_control(to, message);
      } else if (const auto handled = on_message(now, self_, message); !handled) {
        failure_ = handled.error();  // The error is in data that had come before.
      }
    }
  }
}

Result<void> Exchange::receive(Time now, HostId from, std::span<const std::byte> bytes) {
  if (failure_) return tl::unexpected(*failure_);
  if (bytes.empty() || !contains(options_.hosts, from) || from == self_) {
    return fail(ErrorCode::kCorrupt,
                "exchange: found {} bytes from host {}, expected a message from another member",
                bytes.size(), from);
  }
  if (bytes[0] == kData) {
    SURETY_TRY(on_data(now, from, bytes));
  } else {
    proto::ExchangeMessage message;
    const auto body = bytes.subspan(1);
    if (bytes[0] != kControl ||
        !message.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
      return fail(ErrorCode::kCorrupt, "exchange: host {} sent {} bytes that are not a message",
                  from, bytes.size());
    }
    SURETY_TRY(on_message(now, from, message));
  }
  carry_out(now);
  if (failure_) return tl::unexpected(*failure_);
  return {};
}

void Exchange::tick(Time now, const std::optional<PortBytes>& passed) {
  if (passed) port_.add_sample(now, *passed);
  if (const auto seen = port_.rates()) {
    const double nominal = options_.nominal.out_bytes_per_s;
    has_slow_port_ = capacity_of(seen->out, nominal).value_or(nominal) < nominal;
    proto::ExchangeMessage message;
    *message.mutable_seen() = to_proto(*seen);
    notify_scheduler(now, std::move(message));
  }
  if (scheduler_) scheduler_->tick(now);
  carry_out(now);
}

Result<void> Exchange::on_message(Time now, HostId from, const proto::ExchangeMessage& message) {
  const bool decides = message.has_granted() || message.has_placed() || message.has_moved() ||
                       message.has_dropped() || message.has_ended();
  if (decides ? from != options_.scheduler : !scheduler_) {
    return fail(ErrorCode::kCorrupt, "exchange: host {} sent a message that it may not send", from);
  }
  switch (message.message_case()) {
    case proto::ExchangeMessage::kGranted:
      return on_granted(now, message.granted());
    case proto::ExchangeMessage::kPlaced:
      return on_placed(message.placed());
    case proto::ExchangeMessage::kMoved:
      return on_moved(now, message.moved());
    case proto::ExchangeMessage::kDropped:
      return on_dropped(message.dropped());
    case proto::ExchangeMessage::kEnded:
      ended_ = true;
      return {};
    default:
      return scheduler_->receive(now, from, message);
  }
}

Result<RoundShape> Exchange::shape_of(const proto::RoundGranted& granted) const {
  const auto corrupt = [&](const char* what) {
    return fail(ErrorCode::kCorrupt, "exchange: round {}: {}", granted.round(), what);
  };
  if (granted.round() <= newest_) return corrupt("it was granted out of order");
  if (granted.block() >= options_.blocks) return corrupt("its block does not exist");
  const auto owners = owners_.find(granted.epoch());
  if (owners == owners_.end()) return corrupt("its owners are unknown");
  RoundShape shape{.round = granted.round(),
                   .kind = granted.pull() ? RoundKind::kPull : RoundKind::kPush,
                   .speed_class = granted.speed_class(),
                   .block = granted.block(),
                   .owners = owners->second};
  for (const std::uint32_t id : granted.members()) {
    const HostId member{id};
    const bool ascends = shape.members.empty() || shape.members.back() < member;
    if (!ascends || !contains(options_.hosts, member))
      return corrupt("its members are not hosts in ascending order");
    shape.members.push_back(member);
  }
  if (shape.members.empty()) return corrupt("it has no members");
  shape.without.assign(granted.without().begin(), granted.without().end());
  auto hubs = shares_of(granted.hubs(), granted.fractions(), options_.hosts.size());
  if (!hubs) return corrupt("its aggregators are not valid");
  double sum = granted.direct();
  bool positive = granted.direct() >= 0;
  for (const Share& hub : *hubs) {
    if (!contains(options_.hosts, hub.host)) return corrupt("an aggregator is not a host");
    positive = positive && hub.fraction >= 0;
    sum += hub.fraction;
  }
  shape.plan.first = *std::move(hubs);
  if (!positive || !(std::abs(sum - 1) < 1e-6)) return corrupt("its shares do not sum to 1");
  shape.plan.shape = shape.plan.first.empty() ? PlanShape::kDirect : PlanShape::kFlat;
  shape.plan.direct = granted.direct();
  return shape;
}

Result<void> Exchange::on_granted(Time now, const proto::RoundGranted& granted) {
  SURETY_TRY(RoundShape shape, shape_of(granted));
  const bool push = shape.kind == RoundKind::kPush;
  const bool member = contains(shape.members, self_);
  const BlockMask block = block_bit(shape.block);
  if (member && push) {
    if (!update_ || (update_->under_way & block) == 0) {
      return fail(ErrorCode::kCorrupt, "exchange: round {}: this host has no block {} to push",
                  shape.round, shape.block);
    }
    update_->under_way &= ~block;
  }
  if (member && !push && (!(update_ || retired_) || (pulled_blocks_ & block) != 0)) {
    return fail(ErrorCode::kCorrupt, "exchange: round {}: this host does not wait for block {}",
                shape.round, shape.block);
  }
  return begin(now, std::move(shape));
}

Result<void> Exchange::on_placed(const proto::OwnersPlaced& placed) {
  const std::uint32_t last = owners_.rbegin()->first;
  auto owners = shares_of(placed.hosts(), placed.fractions(), options_.hosts.size());
  if (placed.epoch() != last + 1 || !owners) {
    return fail(ErrorCode::kCorrupt,
                "exchange: found {} owners of epoch {}, after those of epoch {}",
                placed.hosts_size(), placed.epoch(), last);
  }
  if (const auto checked = check_owners(options_, *owners); !checked) {
    return fail(ErrorCode::kCorrupt, "{}", checked.error().message);
  }
  owners_[placed.epoch()] = *std::move(owners);
  return {};
}

Result<void> Exchange::on_moved(Time now, const proto::BlockMoved& moved) {
  const auto before = owners_.find(moved.from_epoch());
  const auto after = owners_.find(moved.epoch());
  if (moved.round() <= newest_ || moved.block() >= options_.blocks || before == owners_.end() ||
      after == owners_.end()) {
    return fail(ErrorCode::kCorrupt,
                "exchange: block {} cannot move from epoch {} to epoch {} in round {}",
                moved.block(), moved.from_epoch(), moved.epoch(), moved.round());
  }
  return begin(now, {.round = moved.round(),
                     .kind = RoundKind::kMove,
                     .block = moved.block(),
                     .owners = before->second,
                     .new_owners = after->second});
}

Result<void> Exchange::begin(Time now, RoundShape shape) {
  newest_ = shape.round;
  const RoundId id = shape.round;
  auto& work = rounds_[id];
  work = std::make_unique<RoundWork>(std::move(shape), options_, self_,
                                     update_ ? update_->values : nullptr, pulling_);
  while (!early_.empty() && early_.begin()->first <= id) {
    auto entry = early_.extract(early_.begin());
    for (Early& piece : entry.mapped()) {
      early_bytes_ -= piece.bytes.size();
      if (entry.key() == id) SURETY_TRY(take_part(*work, std::move(piece)));
    }
  }
  return advance(now);
}

Result<void> Exchange::on_dropped(const proto::BlocksDropped& dropped) {
  if (!update_ || dropped.update() != update_->number ||
      (dropped.blocks() & ~update_->under_way) != 0) {
    return fail(ErrorCode::kCorrupt, "exchange: blocks {:#x} of update {} cannot be dropped",
                dropped.blocks(), dropped.update());
  }
  update_->under_way &= ~dropped.blocks();
  update_->dropped |= dropped.blocks();
  return {};
}

Result<void> Exchange::on_data(Time now, HostId from, std::span<const std::byte> bytes) {
  if (bytes.size() < kHeader) {
    return fail(ErrorCode::kCorrupt, "exchange: host {} sent {} bytes of data, fewer than a header",
                from, bytes.size());
  }
  const auto step = load_little_endian<std::uint32_t>(bytes.subspan(13, 4));
  Early piece{.from = from,
              .address = {.round = load_little_endian<std::uint64_t>(bytes.subspan(1, 8)),
                          .part = load_little_endian<std::uint32_t>(bytes.subspan(9, 4)),
                          .step = decode_step(step)},
              .bytes = {bytes.begin() + kHeader, bytes.end()}};
  if (piece.address.round > newest_) {
    early_bytes_ += piece.bytes.size();
    // At most two rounds in each direction are under way, each with at most one block of every
    // host; and each block may be moved.
    const std::uint64_t block_bytes = (options_.elements / options_.blocks + 1) * sizeof(float);
    if (early_bytes_ > block_bytes * (8 * options_.hosts.size() + options_.blocks)) {
      return fail(
          ErrorCode::kCorrupt,
          "exchange: {} bytes arrived before they were granted, the last of them from host {}",
          early_bytes_, from);
    }
    early_[piece.address.round].push_back(std::move(piece));
    return {};
  }
  const auto at = rounds_.find(piece.address.round);
  if (at == rounds_.end()) {
    ++counts_.refused;
    return {};
  }
  SURETY_TRY(take_part(*at->second, std::move(piece)));
  return advance(now);
}

Result<void> Exchange::take_part(RoundWork& work, Early piece) {
  const auto taken = work.receive(piece.from, piece.address, std::move(piece.bytes));
  if (taken || taken.error().code != ErrorCode::kInvalidInput) return taken;
  ++counts_.refused;
  return {};
}

// ---- rounds -------------------------------------------------------------------------------------

// Whether all earlier rounds of the block have made their changes to the model here, except the
// pushes that this round does not wait for.
bool Exchange::may_read(const RoundShape& shape) const {
  return std::none_of(rounds_.begin(), rounds_.lower_bound(shape.round), [&](const auto& earlier) {
    const RoundShape& before = earlier.second->shape();
    return earlier.second->writes_model() && before.block == shape.block &&
           (before.kind != RoundKind::kPush ||
            std::ranges::find(shape.without, before.round) == shape.without.end());
  });
}

// Whether all earlier moves of the block to this host are applied. Pushes of a block may be added
// in any order, but only to values that are here.
bool Exchange::may_apply(const RoundShape& shape) const {
  return std::none_of(rounds_.begin(), rounds_.lower_bound(shape.round), [&](const auto& earlier) {
    return earlier.second->writes_model() && earlier.second->shape().block == shape.block &&
           earlier.second->shape().kind == RoundKind::kMove;
  });
}

// Finishes all rounds that can finish, which may allow others to start.
Result<void> Exchange::advance(Time now) {
  for (auto at = rounds_.begin(); at != rounds_.end();) {
    RoundWork& work = *at->second;
    if (work.needs_snapshot() && may_read(work.shape())) {
      SURETY_TRY(work.take_snapshot(model_));
    }
    if (!work.finished() || (work.writes_model() && !may_apply(work.shape()))) {
      ++at;
      continue;
    }
    if (work.is_pull() && work.is_member()) pulled_blocks_ |= block_bit(work.shape().block);
    if (!work.is_pull()) work.apply(model_);
    acknowledge(now, work);
    rounds_.erase(at);
    at = rounds_.begin();
  }
  if (pulled_blocks_ == all_blocks(options_.blocks)) end_pull();
  // The oldest round of the fastest class that we receive in each direction is acknowledged early,
  // so that two are under way: one finishes before the next but one is granted. For slow rounds
  // this gains nothing, and pulls would have to wait for them.
  std::set<RoundKind> seen;
  for (const auto& [id, work] : rounds_) {
    const RoundShape& shape = work->shape();
    if (shape.speed_class == 0 && work->is_recipient() && seen.insert(shape.kind).second) {
      acknowledge(now, *work);
    }
  }
  return {};
}

void Exchange::acknowledge(Time now, RoundWork& work) {
  if (!work.is_recipient() || std::exchange(work.is_acknowledged, true)) return;
  proto::ExchangeMessage message;
  message.mutable_heard()->set_round(work.shape().round);
  notify_scheduler(now, std::move(message));
}

void Exchange::end_pull() {
  pulled_blocks_ = 0;
  ++pulls_;
  if (!update_) {
    has_last_ = true;  // We have retired, so this is the last model.
    return;
  }
  Pulled pulled{.model = std::move(*pulling_), .dropped = {}, .update = update_->number};
  for (std::uint32_t b = 0; b < options_.blocks; ++b) {
    if ((update_->dropped & block_bit(b)) == 0) continue;
    pulled.dropped.push_back(block_of(options_, b));
  }
  update_.reset();
  pulled_ = std::move(pulled);
  pulling_ = std::make_shared<std::vector<float>>(model_.size());
}

std::string Exchange::describe() const {
  std::string text = fmt::format("host {}: {} updates", self_, updates_);
  if (counts_.refused > 0) text += fmt::format(", {} messages refused", counts_.refused);
  if (retired_) text += ", retired";
  if (ended_) text += ", ended";
  if (update_) {
    text += fmt::format(", update {} is {}, blocks to grant {:#x}, blocks pulled {:#x}",
                        update_->number, name_of(stage(update_->number)), update_->under_way,
                        pulled_blocks_);
  }
  for (const auto& [id, work] : rounds_) {
    constexpr const char* kNames[] = {"push", "pull", "move"};
    text += fmt::format("; {} {} of block {}", kNames[static_cast<int>(work->shape().kind)], id,
                        work->shape().block);
    if (work->needs_snapshot()) text += " waits for its snapshot of the model";
    for (const HostId host : work->waiting_for()) text += fmt::format(", waits for host {}", host);
    std::vector<HostId> unsent;
    work->add_destinations(unsent);
    for (const HostId host : unsent) text += fmt::format(", has to send to host {}", host);
  }
  for (const auto& [id, pieces] : early_) {
    text += fmt::format("; {} early messages of round {}", pieces.size(), id);
  }
  if (scheduler_) text += "; " + scheduler_->describe();
  return text;
}

std::vector<HostId> Exchange::destinations() const {
  std::vector<HostId> hosts;
  for (const auto& [host, messages] : control_) hosts.push_back(host);
  for (const auto& [id, work] : rounds_) work->add_destinations(hosts);
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

std::optional<Exchange::Send> Exchange::next_send(Time now, HostId to, bool control_only) {
  if (const auto at = control_.find(to); at != control_.end()) {
    Send send{.bytes = std::move(at->second.front()), .data = false};
    at->second.pop_front();
    if (at->second.empty()) control_.erase(at);
    return send;
  }
  if (control_only) return std::nullopt;
  // Fast rounds go first: others wait for our part in them, and a slow round of our own can wait.
  std::vector<RoundWork*> by_class;
  for (const auto& [id, work] : rounds_) by_class.push_back(work.get());
  std::ranges::stable_sort(by_class, {},
                           [](const RoundWork* work) { return work->shape().speed_class; });
  for (RoundWork* work : by_class) {
    if (const auto piece = work->next_send(to)) {
      Send send{.bytes = framed(piece->address, piece->bytes), .data = true};
      counts_.data_bytes += send.bytes.size();
      if (work->finished()) {
        // A round may also end with its last send.
        if (const auto advanced = advance(now); !advanced) failure_ = advanced.error();
        carry_out(now);
      }
      return send;
    }
  }
  return std::nullopt;
}

}  // namespace surety::fabric
