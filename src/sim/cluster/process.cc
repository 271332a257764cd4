#include "sim/cluster/process.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "sim/cluster/sim_task.h"
#include "worker/state/model_values.h"

namespace surety::sim {
namespace {

// How long a call waits for an answer (runtime/worker/worker.cc).
constexpr double kCallPatienceS = 0.5;

}  // namespace

Process::Process(World& world, ProcessStart start, Random random)
    : world_(world),
      start_(std::move(start)),
      random_(random),
      session_(
          [this](const learn::TaskOptions& options) -> Result<std::unique_ptr<learn::Task>> {
            SURETY_TRY(auto task, world_.options().learner.factory(options));
            return std::make_unique<SimTask>(std::move(task), spoils_, world_.watch().sums(),
                                             start_.number);
          },
          *this, *this),
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
  for (const ChunkId chunk : session_.state().holdings.ids()) hello.add_chunks(chunk.value);
  return hello;
}

void Process::call() {
  soon([this] {
    connection_ = world_.connections().connect(start_.number, hello());
    if (connection_ != 0) return beat(connection_);
    world_.queue().after(kCallPatienceS, [this] {
      soon([this] { lose({ErrorCode::kUnavailable, "no coordinator answers"}); });
    });
  });
}

void Process::lose(const Error& why) {
  connection_ = 0;
  cut_since_s_.reset();
  session_.on_coordinator_lost();
  world_.watch().returns().on_lost(start_.number, world_.queue().now_s());
  const Time now{from_seconds(world_.queue().now_s())};
  const Result<void> lost = ties_.lose(now, why);
  const Result<Duration> pause = lost ? ties_.next_pause(now) : tl::unexpected(lost.error());
  if (pause) {
    world_.queue().after(to_seconds(*pause), [this] { call(); });
    return;
  }
  if (!leaving_) world_.watch().returns().on_gave_up(start_.number, world_.queue().now_s());
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
    if (message.has_prepare())
      world_.watch().returns().on_prepare(start_.number, message.prepare());
    session_.on_command(message);
  });
}

// Peers know it by its id: members that wait for the old id have lost a connection.
void Process::welcomed(const proto::Welcome& welcome) {
  const worker::Welcomed how = ties_.welcome(welcome);
  if (how == worker::Welcomed::kRefused) {
    world_.connections().hang_up(connection_);
    return lose({ErrorCode::kUnavailable, "an older coordinator"});
  }
  world_.watch().returns().on_welcomed(start_.number, WorkerId{welcome.worker()});
  const WorkerId before = std::exchange(id_, WorkerId{welcome.worker()});
  session_.on_welcome(welcome, how == worker::Welcomed::kAgain);
  if (before.value == 0) return;
  world_.log(fmt::format("worker {} is worker {} now, with {} chunks still there", before, id_,
                         session_.state().holdings.ids().size()));
  world_.rounds().gone(before);
  world_.pipes().on_gone(before);
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
  if (!cut_since_s_) cut_since_s_ = world_.queue().now_s();
  if (world_.queue().now_s() - *cut_since_s_ < world_.options().node.keepalive_s) return;
  world_.connections().hang_up(connection_);
  lose({ErrorCode::kUnavailable, "the coordinator does not answer"});
}

// ---- the other workers --------------------------------------------------------------------------

void Process::finished(std::uint64_t sequence, const std::vector<float>& values) {
  soon([this, sequence, values] { session_.on_round_done(sequence, {.values = values}); });
}

void Process::broken(std::uint64_t sequence, WorkerId peer) {
  soon([this, sequence, peer] {
    session_.on_round_failed(
        sequence,
        {ErrorCode::kUnavailable, fmt::format("the connection to worker {} is lost", peer)}, peer);
  });
}

// Messages of an exchange stay in their order, also those that came before it began here.
void Process::heard(std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes) {
  soon([this, exchange, from, bytes = std::move(bytes)]() mutable {
    const bool is_current = is_in_exchange_ && exchange == exchange_;
    if (is_current && !early_.contains(exchange)) {
      session_.on_exchange_message(exchange, from, bytes);
    } else if (is_current || exchange > exchange_) {
      early_[exchange].emplace_back(from, std::move(bytes));
    }
  });
}

void Process::left(std::uint64_t exchange, WorkerId to) {
  soon([this, exchange, to] { session_.on_exchange_sent(exchange, to); });
}

// ---- faults -------------------------------------------------------------------------------------

void Process::end(const std::string& how, bool silently) {
  if (ended_) return;
  ended_ = true;
  silent_ = silently;
  backlog_.clear();
  if (admitted()) {
    world_.rounds().gone(id_);
    world_.pipes().on_gone(id_);
  }
  world_.on_process_ended(start_.number, how);
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
  if (message.has_step_done()) {
    world_.watch().sums().on_reported(start_.number, message.step_done());
  }
  if (connection_ == 0) return;
  Connections& connections = world_.connections();
  const std::uint64_t connection = connection_;
  world_.network().send(connection, start_.host, 0, [&connections, connection, message] {
    connections.receive(connection, message);
  });
}

void Process::wake_after(Duration delay, std::uint64_t timer) {
  world_.queue().after(to_seconds(delay),
                       [this, timer] { soon([this, timer] { session_.on_time(timer); }); });
}

double Process::computing_s(double seconds_at_speed_1) {
  const double noise = std::exp(world_.options().node.noise * random_.normal());
  return seconds_at_speed_1 * slowness_ * noise / start_.speed;
}

// ---- works --------------------------------------------------------------------------------------

Held Process::held() const {
  const worker::State& state = session_.state();
  Held held{state.session, state.iteration, worker::model_checksum(state.model), {}};
  for (const auto& [id, chunk] : state.holdings.chunks()) held.chunks.push_back(id);
  return held;
}

// What reads has its result at once, and fails at once.
void Process::start(worker::Work work) {
  const std::atomic<bool> never{false};
  const bool is_step = work.kind == worker::Work::Kind::kLearn;
  if (is_step) world_.watch().sums().on_work(start_.number, session_.command()->step());
  if (is_step && !is_in_exchange_) world_.watch().on_learning(self(), held(), *session_.command());
  const bool reads =
      work.kind == worker::Work::Kind::kLoad || work.kind == worker::Work::Kind::kEvaluate;
  UnderWay under_way{.number = ++last_work_,
                     .began_s = world_.queue().now_s(),
                     .work = {},
                     .cost = {},
                     .outcome = {}};
  if (reads) under_way.outcome = work.run({.stop = never});
  if (!reads || *under_way.outcome) {
    under_way.cost = cost_of(work, session_, world_.options().learner,
                             [this](double seconds) { return computing_s(seconds); });
  }
  const double seconds = under_way.cost.seconds;
  under_way.work = std::move(work);
  work_ = std::move(under_way);
  world_.queue().after(seconds,
                       [this, number = last_work_] { soon([this, number] { end_work(number); }); });
}

void Process::end_work(std::uint64_t number) {
  if (!work_ || work_->number != number) return;
  const UnderWay done = *std::exchange(work_, std::nullopt);
  const std::atomic<bool> never{false};
  const Result<void> outcome =
      done.outcome ? *done.outcome : done.work.run({.stop = never, .samples = done.cost.samples});
  if (outcome) {
    for (const data::ChunkRange& range : done.work.ranges) {
      world_.watch().returns().on_read(start_.number, range.id);
    }
  }
  session_.on_work_done(outcome);
}

// What was read is kept, and what was learned until then, if it counts as a part.
void Process::stop_work() {
  UnderWay& stopped = *work_;
  stopped.number = ++last_work_;
  double seconds = 0;
  if (stopped.work.kind == worker::Work::Kind::kLearn && session_.command()->step().averages()) {
    stopped.cost = cost_of_stopping(stopped.cost, world_.queue().now_s() - stopped.began_s,
                                    world_.options().learner.samples_least);
    seconds = stopped.cost.seconds;
  } else if (stopped.work.kind != worker::Work::Kind::kLoad) {
    stopped.outcome = fail(ErrorCode::kUnavailable, "stopped");
  }
  world_.queue().after(seconds,
                       [this, number = last_work_] { soon([this, number] { end_work(number); }); });
}

// ---- the worker's network -----------------------------------------------------------------------

Result<void> Process::connect(WorkerId worker) {
  const Process* peer = world_.process_of(worker);
  if (peer != nullptr && (peer->runs() || peer->is_silent())) return {};
  return fail(ErrorCode::kUnavailable, "worker {} cannot be reached", worker);
}

void Process::join_round(worker::Round round, std::vector<float> values) {
  if (const proto::ToWorker& command = *session_.command(); command.has_step()) {
    world_.watch().sums().on_joined(start_.number, command.step(), values);
  }
  world_.rounds().join({.sequence = round.sequence,
                        .holders = std::move(round.holders),
                        .members = std::move(round.members),
                        .weights = std::move(round.weights),
                        .bytes = world_.options().learner.model_bytes(round.version)},
                       self(), std::move(values));
}

void Process::leave_round(std::uint64_t sequence) { world_.rounds().leave(sequence, self()); }

Result<void> Process::send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                std::uint64_t zeros) {
  SURETY_TRY(connect(to));
  constexpr double kHeaderBytes = 64;
  const Process* peer = world_.process_of(to);
  const Bulk bulk{.senders = {start_.host},
                  .receivers = {peer->host()},
                  .bytes = kHeaderBytes + static_cast<double>(bytes.size() + zeros)};
  tag.sender = self().value;
  auto arrive = [this, to, tag, bytes = std::move(bytes)](bool arrived) {
    Process* receiver = world_.process_of(to);
    const bool there = arrived && receiver->runs();
    if (there) {
      receiver->soon([receiver, tag, bytes] {
        receiver->blobs_[tag] = bytes;
        receiver->session_.on_blob();
      });
    }
    soon([this, tag, there, to] {
      if (there) return session_.on_blob_sent(tag.round, to);
      const proto::ToWorker* command = session_.command();
      if (command == nullptr || command->sequence() != tag.round) return;
      session_.on_lost(to, fmt::format("the connection to worker {} is lost", to));
    });
  };
  if (peer->host() == start_.host) {
    world_.queue().after(world_.network().options().latency_s,
                         [arrive = std::move(arrive)] { arrive(true); });
  } else {
    world_.network().start(bulk, std::move(arrive));
  }
  return {};
}

std::optional<std::vector<std::byte>> Process::take_blob(const fabric::Tag& tag) {
  auto taken = blobs_.extract(tag);
  if (taken.empty()) return std::nullopt;
  return std::move(taken.mapped());
}

void Process::discard_blobs_before(std::uint64_t sequence) {
  std::erase_if(blobs_, [&](const auto& entry) { return entry.first.round < sequence; });
}

// ---- exchanges ----------------------------------------------------------------------------------

double Process::wire_scale() const {
  const learn::Model& model = session_.state().model;
  return world_.options().learner.model_bytes(model.version) /
         static_cast<double>(4 * model.parameters.size());
}

void Process::join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) {
  world_.watch().on_learning(self(), held(), *session_.command());
  world_.pipes().join(sequence, self(), members);
  exchange_ = sequence;
  is_in_exchange_ = true;
  early_.erase(early_.begin(), early_.lower_bound(sequence));
  if (!early_.contains(sequence)) return;
  world_.queue().after(0, [this, sequence] {
    soon([this, sequence] {
      if (is_in_exchange_ && sequence == exchange_) pass_on_early();
    });
  });
}

void Process::pass_on_early() {
  auto early = early_.extract(exchange_);
  if (early.empty()) return;
  for (const auto& [from, bytes] : early.mapped()) {
    session_.on_exchange_message(exchange_, from, bytes);
  }
}

void Process::leave_exchange(std::uint64_t sequence) {
  world_.pipes().leave(sequence, self());
  is_in_exchange_ = false;
}

void Process::send_in_exchange(std::uint64_t sequence, WorkerId to,
                               fabric::Exchange::Send message) {
  const auto bytes = static_cast<double>(message.bytes.size());
  const double wire_bytes = message.data ? wire_scale() * bytes : bytes;
  world_.pipes().send(sequence, self(), to, {std::move(message.bytes), wire_bytes});
}

// In the bytes that the exchange counts.
std::optional<fabric::PortBytes> Process::port_bytes() {
  const fabric::PortBytes passed = world_.network().port_bytes(start_.host);
  const auto scaled = [scale = wire_scale()](std::uint64_t bytes) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) / scale);
  };
  return fabric::PortBytes{.out = scaled(passed.out), .in = scaled(passed.in)};
}

fabric::KnownPorts Process::first_ports() const {
  fabric::KnownPorts ports;
  ports.typical_bytes_per_s /= wire_scale();
  return ports;
}

void Process::adapt(fabric::ExchangeOptions& options) const {
  const std::string& version = session_.state().model.version;
  const auto real = static_cast<std::uint64_t>(world_.options().learner.model_bytes(version) / 4);
  options.blocks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(fabric::blocks_for(real, options.hosts.size()), options.elements));
}

void Process::on_exchanged(std::uint64_t sequence, const std::vector<float>& before,
                           const std::vector<float>& after, const std::vector<double>& sum) {
  world_.watch().on_exchanged(self(), {sequence, before, after, sum});
}

// ---- files --------------------------------------------------------------------------------------

Result<std::vector<data::Chunk>> Process::read_chunks(const std::vector<data::ChunkRange>& ranges) {
  std::vector<data::Chunk> chunks;
  for (const data::ChunkRange& range : ranges) {
    if (std::exchange(damages_, false)) {
      return fail(ErrorCode::kInvalidInput, "chunk {}: the source is damaged", range.id);
    }
    SURETY_TRY(chunks.emplace_back(), world_.options().learner.load(range));
  }
  return chunks;
}

std::string Process::place_of(const data::ChunkRange& range) const {
  return fmt::format("chunk {}", range.id);
}

Result<learn::Model> Process::load_model(const std::string& path) {
  return world_.checkpoints().model(path);
}

Result<worker::ChunkStates> Process::load_states(const std::string& path, std::uint64_t,
                                                 const std::vector<ChunkId>& wanted) {
  SURETY_TRY(ChunkStates found, world_.checkpoints().states(path));
  std::erase_if(found, [&](const auto& entry) {
    return std::ranges::find(wanted, entry.first) == wanted.end();
  });
  return found;
}

Result<proto::SavedFile> Process::save_model(const std::string& path, const learn::Model& model) {
  SURETY_TRY(proto::SavedFile file, world_.checkpoints().write(path, model));
  world_.watch().on_model_written(file.path(), worker::model_checksum(model));
  return file;
}

Result<proto::SavedFile> Process::save_states(const std::string& path,
                                              const std::map<ChunkId, data::Chunk>& chunks) {
  ChunkStates states;
  for (const auto& [id, chunk] : chunks) {
    if (!chunk.state.empty()) states[id] = chunk.state;
  }
  return world_.checkpoints().write(path, std::move(states));
}

}  // namespace surety::sim
