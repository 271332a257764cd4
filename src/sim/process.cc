#include "sim/process.h"

#include <algorithm>
#include <cmath>

namespace surety::sim {
namespace {

// How long a call waits for an answer (runtime/worker.cc).
constexpr double kCallPatienceS = 0.5;

}  // namespace

Process::Process(World& world, ProcessStart start, Random random)
    : world_(world),
      start_(std::move(start)),
      random_(random),
      worker_(world.options().learner, *this),
      ties_({.wait = from_seconds(world.options().config.job.cluster.wait_s)}) {}

void Process::soon(std::function<void()> action) {
  if (ended_) return;
  if (stalled_) {
    backlog_.push_back(std::move(action));
  } else {
    action();
  }
}

// ---- its coordinator ----------------------------------------------------------------------------

proto::Hello Process::hello() const {
  proto::Hello hello;
  hello.set_host(fmt::format("node-{}", start_.host));
  hello.set_pid(1000 + start_.number);
  hello.set_transport_address(fmt::format("node-{}:{}", start_.host, start_.number));
  hello.set_node_type(start_.type);
  ties_.introduce(hello);
  for (const ChunkId chunk : worker_.chunks()) hello.add_chunks(chunk.value);
  return hello;
}

void Process::call() {
  soon([this] {
    connection_ = world_.connect(start_.number, hello());
    if (connection_ != 0) return beat(connection_);
    world_.queue().after(kCallPatienceS, [this] {
      soon([this] { lose({ErrorCode::kUnavailable, "no coordinator answers"}); });
    });
  });
}

void Process::lose(const Error& why) {
  connection_ = 0;
  cut_since_s_.reset();
  worker_.give_up();
  world_.returns().lost(start_.number, world_.now_s());
  const Time now{from_seconds(world_.now_s())};
  const Result<void> lost = ties_.lose(now, why);
  const Result<Duration> pause = lost ? ties_.next_pause(now) : tl::unexpected(lost.error());
  if (pause) {
    world_.queue().after(to_seconds(*pause), [this] { call(); });
    return;
  }
  if (!leaving_) world_.returns().gave_up(start_.number, world_.now_s());
  end("exit code 4: " + pause.error().message);
}

void Process::stream_ended(std::uint64_t connection) {
  soon([this, connection] {
    if (connection != connection_) return;
    world_.network().close(connection);
    lose({ErrorCode::kUnavailable, "the coordinator ended the connection"});
  });
}

void Process::receive(std::uint64_t connection, const proto::ToWorker& message) {
  soon([this, connection, message] {
    if (connection != connection_) return;
    if (message.has_bye()) return end("exit code 0");
    if (message.has_welcome()) return welcomed(message.welcome());
    if (message.has_prepare()) world_.returns().preparing(start_.number, message.prepare());
    worker_.command(message);
  });
}

// Peers know it by its id: members that wait for the old id have lost a connection.
void Process::welcomed(const proto::Welcome& welcome) {
  const worker::Welcomed how = ties_.welcome(welcome);
  if (how == worker::Welcomed::kRefused) {
    world_.hang_up(connection_);
    return lose({ErrorCode::kUnavailable, "an older coordinator"});
  }
  world_.returns().welcomed(start_.number, WorkerId{welcome.worker()});
  const WorkerId before = std::exchange(id_, WorkerId{welcome.worker()});
  worker_.join(welcome, how == worker::Welcomed::kAgain);
  if (before.value == 0) return;
  world_.say(fmt::format("worker {} is worker {} now, with {} chunks still there", before, id_,
                         worker_.chunks().size()));
  world_.rounds().gone(before);
  world_.pipes().gone(before);
}

void Process::beat(std::uint64_t connection) {
  if (ended_ || connection != connection_) return;
  if (!stalled_) {
    proto::FromWorker message;
    message.mutable_heartbeat();
    answer(message);
    look_at_connection();
  }
  world_.queue().after(world_.options().node.heartbeat_s, [this, connection] { beat(connection); });
}

// A cut closes no connection. A cut in either direction stops the acknowledgements.
void Process::look_at_connection() {
  const Network& network = world_.network();
  if (!network.is_cut(start_.host, 0) && !network.is_cut(0, start_.host)) {
    return cut_since_s_.reset();
  }
  if (!cut_since_s_) cut_since_s_ = world_.now_s();
  if (world_.now_s() - *cut_since_s_ < world_.options().node.keepalive_s) return;
  world_.hang_up(connection_);
  lose({ErrorCode::kUnavailable, "the coordinator does not answer"});
}

// ---- the other workers --------------------------------------------------------------------------

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

// ---- faults -------------------------------------------------------------------------------------

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
    ties_.leave();
    if (connection_ == 0) return end("exit code 4: left without a coordinator");
    proto::FromWorker message;
    message.mutable_leaving()->set_reason("asked to stop");
    answer(message);
  });
  world_.queue().after(world_.options().node.leave_patience_s,
                       [this] { soon([this] { end("exit code 0: its time was over"); }); });
}

// ---- for the worker -----------------------------------------------------------------------------

void Process::answer(const proto::FromWorker& message) {
  if (connection_ == 0) return;
  World& world = world_;
  const std::uint64_t connection = connection_;
  world_.network().send(connection, start_.host, 0,
                        [&world, connection, message] { world.hear(connection, message); });
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

fabric::PortBytes Process::port_bytes() { return world_.network().port_bytes(start_.host); }

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
