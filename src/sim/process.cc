#include "sim/process.h"

#include <algorithm>
#include <cmath>

namespace surety::sim {

Process::Process(World& world, ProcessStart start, Random random)
    : world_(world),
      start_(std::move(start)),
      random_(random),
      worker_(world.options().learner, *this) {}

void Process::soon(std::function<void()> action) {
  if (ended_) return;
  if (stalled_) {
    backlog_.push_back(std::move(action));
  } else {
    action();
  }
}

void Process::admit(WorkerId id) {
  id_ = id;
  beat();
}

void Process::beat() {
  if (ended_) return;
  if (!stalled_) {
    proto::FromWorker message;
    message.mutable_heartbeat();
    answer(message);
  }
  world_.queue().after(world_.options().node.heartbeat_s, [this] { beat(); });
}

void Process::receive(const proto::ToWorker& message) {
  soon([this, message] {
    if (message.has_bye()) return end("exit code 0");
    worker_.command(message);
  });
}

void Process::stream_ended() {
  soon([this] { end("exit code 4: the connection to the coordinator is lost"); });
}

void Process::finished(std::uint64_t sequence, const std::vector<float>& values) {
  soon([this, sequence, values] { worker_.finished(sequence, values); });
}

void Process::broken(std::uint64_t sequence, WorkerId peer) {
  soon([this, sequence, peer] { worker_.broken(sequence, peer); });
}

void Process::heard(std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes) {
  soon([this, exchange, from, bytes = std::move(bytes)]() mutable {
    worker_.heard(exchange, from, std::move(bytes));
  });
}

void Process::left(std::uint64_t exchange, WorkerId to) {
  soon([this, exchange, to] { worker_.left(exchange, to); });
}

// ---- what befalls it ----------------------------------------------------------------------------

void Process::end(const std::string& how, bool silently) {
  if (ended_) return;
  ended_ = true;
  silent_ = silently;
  backlog_.clear();
  if (admitted()) {
    world_.rounds().gone(id_);
    world_.pipes().gone(id_);
  }
  world_.process_ended(start_.number, how);
}

void Process::stall_until(double time_s) {
  stalled_ = true;
  world_.queue().at(time_s, [this, stall = ++stall_] {
    if (stall == stall_) go_on();
  });
}

void Process::go_on() {
  if (!stalled_) return;
  stalled_ = false;
  for (auto& action : std::exchange(backlog_, {})) soon(std::move(action));
}

void Process::ask_to_leave() {
  if (std::exchange(leaving_, true)) return end("exit code 0: told to go twice");
  soon([this] {
    proto::FromWorker message;
    message.mutable_leaving()->set_reason("asked to stop");
    answer(message);
  });
  world_.queue().after(world_.options().node.leave_patience_s,
                       [this] { soon([this] { end("exit code 0: its time was over"); }); });
}

// ---- for the worker -----------------------------------------------------------------------------

void Process::answer(const proto::FromWorker& message) {
  const std::uint32_t number = start_.number;
  World& world = world_;
  world_.network().send(number, start_.host, 0,
                        [&world, number, message] { world.hear(number, message); });
}

void Process::wake_after(double seconds, std::uint64_t token) {
  world_.queue().after(seconds, [this, token] { soon([this, token] { worker_.woken(token); }); });
}

double Process::computing_s(double seconds_at_speed_1) {
  const double noise = std::exp(world_.options().node.noise * random_.normal());
  return seconds_at_speed_1 * slowness_ * noise / start_.speed;
}

void Process::join_round(const Round& round, std::vector<float> values) {
  world_.rounds().join(round, id_, std::move(values));
}

void Process::leave_round(std::uint64_t sequence) { world_.rounds().leave(sequence, id_); }

bool Process::send_blob(WorkerId to, const BlobTag& tag, std::vector<float> content, double bytes) {
  const Process* peer = world_.process_of(to);
  if (peer == nullptr || (!peer->runs() && !peer->is_silent())) return false;
  const Bulk bulk{.senders = {start_.host}, .receivers = {peer->host()}, .bytes = bytes};
  auto arrive = [this, to, tag, content = std::move(content)](bool arrived) {
    Process* receiver = world_.process_of(to);
    const bool there = arrived && receiver->runs();
    if (there) receiver->soon([receiver, tag, content] { receiver->worker_.blob(tag, content); });
    soon([this, tag, there, to] { worker_.sent(tag.round, there, to); });
  };
  if (peer->host() == start_.host) {
    world_.queue().after(world_.network().options().latency_s,
                         [arrive = std::move(arrive)] { arrive(true); });
  } else {
    world_.network().start(bulk, std::move(arrive));
  }
  return true;
}

void Process::join_exchange(std::uint64_t exchange, const std::vector<WorkerId>& members) {
  world_.pipes().join(exchange, id_, members);
}

void Process::leave_exchange(std::uint64_t exchange) { world_.pipes().leave(exchange, id_); }

void Process::send_in_exchange(std::uint64_t exchange, WorkerId to, Parcel parcel) {
  world_.pipes().send(exchange, id_, to, std::move(parcel));
}

void Process::exchanged(const Exchanged& what) { world_.exchanged(id_, what); }

void Process::learning(const Held& held, const proto::ToWorker& order) {
  world_.learning(id_, held, order);
}

Result<data::Chunk> Process::load(const data::ChunkRange& range) {
  if (std::exchange(damages_, false)) {
    return fail(ErrorCode::kInvalidInput, "chunk {}: the source is damaged", range.id);
  }
  return world_.options().learner.load(range);
}

}  // namespace surety::sim
