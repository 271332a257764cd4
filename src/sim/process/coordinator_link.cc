#include "sim/process/coordinator_link.h"

#include <fmt/format.h>

#include <utility>

namespace surety::sim {
namespace {

// How long a call waits for an answer (runtime/worker/worker.cc).
constexpr double kCallPatienceS = 0.5;

}  // namespace

CoordinatorLink::CoordinatorLink(const ProcessStart& start, const SimOptions& options,
                                 EventQueue& queue, Network& network, Connections& connections,
                                 Returns& returns, Lifecycle& lifecycle, Owner owner)
    : start_(start),
      options_(options),
      queue_(queue),
      network_(network),
      connections_(connections),
      returns_(returns),
      lifecycle_(lifecycle),
      owner_(std::move(owner)),
      binding_({.wait = from_seconds(options.config.job.cluster.wait_s)}) {}

// ---- calls --------------------------------------------------------------------------------------

proto::Hello CoordinatorLink::hello() const {
  proto::Hello hello;
  hello.set_host(fmt::format("node-{}", start_.host));
  hello.set_pid(1000 + start_.number);
  hello.set_transport_address(fmt::format("node-{}:{}", start_.host, start_.number));
  hello.set_node_type(start_.type);
  binding_.introduce(hello);
  for (const ChunkId chunk : owner_.chunks()) hello.add_chunks(chunk.value);
  return hello;
}

void CoordinatorLink::call() {
  lifecycle_.soon([this] {
    connection_ = connections_.connect(start_.number, hello());
    if (connection_) return beat(*connection_);
    lifecycle_.after(kCallPatienceS, [this] {
      lose({ErrorCode::kUnavailable, "no coordinator answers"});
    });
  });
}

void CoordinatorLink::lose(const Error& why) {
  connection_.reset();
  cut_since_s_.reset();
  owner_.on_lost();
  returns_.on_lost(start_.number, queue_.now_s());
  const Time now{from_seconds(queue_.now_s())};
  const Result<void> lost = binding_.lose(now, why);
  const Result<Duration> pause = lost ? binding_.next_pause(now) : tl::unexpected(lost.error());
  if (pause) {
    queue_.after(to_seconds(*pause), [this] { call(); });
    return;
  }
  if (!is_leaving_) returns_.on_gave_up(start_.number, queue_.now_s());
  owner_.end("exit code 4: " + pause.error().message);
}

void CoordinatorLink::leave() {
  if (std::exchange(is_leaving_, true)) return owner_.end("exit code 0: told to go twice");
  lifecycle_.soon([this] {
    binding_.leave();
    if (!connection_) return owner_.end("exit code 4: left without a coordinator");
    proto::FromWorker message;
    message.mutable_leaving()->set_reason("asked to stop");
    send(message);
  });
  lifecycle_.after(options_.node.leave_patience_s,
                   [this] { owner_.end("exit code 0: its time was over"); });
}

// ---- the connection -----------------------------------------------------------------------------

void CoordinatorLink::send(const proto::FromWorker& message) {
  if (!connection_) return;
  network_.send(*connection_, start_.host, 0,
                [&connections = connections_, connection = *connection_, message] {
                  connections.receive(connection, message);
                });
}

void CoordinatorLink::receive(std::uint64_t connection, const proto::ToWorker& message) {
  lifecycle_.soon([this, connection, message] {
    if (connection != connection_) return;
    if (message.has_bye()) return owner_.end("exit code 0");
    if (message.has_welcome()) return on_welcome(message.welcome());
    if (message.has_prepare()) returns_.on_prepare(start_.number, message.prepare());
    owner_.on_command(message);
  });
}

void CoordinatorLink::on_welcome(const proto::Welcome& welcome) {
  const worker::Welcomed how = binding_.welcome(welcome);
  if (how == worker::Welcomed::kRefused) {
    connections_.hang_up(*connection_);
    return lose({ErrorCode::kUnavailable, "an older coordinator"});
  }
  const std::optional<WorkerId> before = std::exchange(worker_, WorkerId{welcome.worker()});
  returns_.on_welcomed(start_.number, *worker_);
  owner_.on_welcome(welcome, how == worker::Welcomed::kAgain, before);
}

void CoordinatorLink::on_ended(std::uint64_t connection) {
  lifecycle_.soon([this, connection] {
    if (connection != connection_) return;
    network_.close(connection);
    lose({ErrorCode::kUnavailable, "the coordinator ended the connection"});
  });
}

void CoordinatorLink::beat(std::uint64_t connection) {
  if (!lifecycle_.runs() || connection != connection_) return;
  if (!lifecycle_.is_stalled()) {
    proto::FromWorker message;
    message.mutable_heartbeat();
    send(message);
    look_at_connection();
  }
  queue_.after(options_.node.heartbeat_s, [this, connection] { beat(connection); });
}

// A cut closes no connection. A cut in either direction stops the acknowledgements.
void CoordinatorLink::look_at_connection() {
  if (!network_.is_cut(start_.host, 0) && !network_.is_cut(0, start_.host)) {
    return cut_since_s_.reset();
  }
  const double now_s = queue_.now_s();
  if (!cut_since_s_) cut_since_s_ = now_s;
  if (now_s - *cut_since_s_ < options_.node.keepalive_s) return;
  connections_.hang_up(*connection_);
  lose({ErrorCode::kUnavailable, "the coordinator does not answer"});
}

}  // namespace surety::sim
