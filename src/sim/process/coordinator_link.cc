#include "sim/process/coordinator_link.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/overloaded.h"

namespace surety::sim {

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
      attendance_(attendance_options(), owner_.chunks) {}

worker::AttendanceOptions CoordinatorLink::attendance_options() const {
  worker::AttendanceOptions options{.join = "node-0",
                                    .hello = {},
                                    .binding = {},
                                    .notice = from_seconds(options_.node.leave_patience_s),
                                    .run_folder = {}};
  options.hello.set_host(fmt::format("node-{}", start_.host));
  options.hello.set_pid(1000 + start_.number);
  options.hello.set_transport_address(fmt::format("node-{}:{}", start_.host, start_.number));
  options.hello.set_node_type(start_.type);
  const Duration wait = from_seconds(options_.config.job.cluster.wait_s);
  options.binding.wait = wait > Duration::zero() ? std::optional(wait) : std::nullopt;
  return options;
}

// ---- events -------------------------------------------------------------------------------------

void CoordinatorLink::call() {
  lifecycle_.soon([this] { carry_out(attendance_.begin()); });
}

void CoordinatorLink::leave() {
  lifecycle_.soon([this] { carry_out(attendance_.on_stop_signal()); });
}

void CoordinatorLink::receive(std::uint64_t connection, const proto::ToWorker& message) {
  lifecycle_.soon([this, connection, message] {
    if (connection != connection_) return;
    is_dismissed_ = is_dismissed_ || message.has_bye();
    carry_out(attendance_.on_message(now(), message));
  });
}

void CoordinatorLink::on_ended(std::uint64_t connection) {
  lifecycle_.soon([this, connection] {
    if (connection != connection_) return;
    network_.close(connection);
    on_lost({ErrorCode::kUnavailable, "the coordinator ended the connection"});
  });
}

void CoordinatorLink::on_lost(const Error& why) {
  connection_.reset();
  cut_since_s_.reset();
  carry_out(attendance_.on_lost(now(), why));
}

// ---- effects ------------------------------------------------------------------------------------

// ReadFolders finds nothing here, because the next coordinator has the address of the last one.
// WatchForSuccessor would find nothing for the same reason.
void CoordinatorLink::carry_out(worker::Effects effects) {
  const Overloaded one{
      [&](const worker::CallCoordinator& call) { carry_out(call); },
      [&](const worker::CloseConnection&) { hang_up(); },
      [&](const worker::SendToCoordinator& told) { send(told.message); },
      [&](const worker::PassWelcome& passed) { carry_out(passed); },
      [&](const worker::PassCommand& passed) {
        const proto::ToWorker& command = passed.command;
        if (command.has_prepare()) returns_.on_prepare(start_.number, command.prepare());
        owner_.on_command(command);
      },
      [&](const worker::ReportCoordinatorLost&) {
        owner_.on_lost();
        returns_.on_lost(start_.number, queue_.now_s());
      },
      [](const worker::WatchForSuccessor&) {},
      [&](const worker::ReadFolders&) { carry_out(attendance_.on_folders_read({})); },
      [&](const worker::WakeAfter& wake) {
        lifecycle_.after(to_seconds(wake.delay), [this, timer = wake.timer] {
          carry_out(attendance_.on_time(now(), timer));
        });
      },
      [](const worker::LogLine&) {},
      [&](const worker::EndWorker& end) { carry_out(end); }};
  for (const worker::Effect& effect : effects) std::visit(one, effect);
}

void CoordinatorLink::carry_out(const worker::CallCoordinator& call) {
  connection_ = connections_.connect(start_.number, call.hello);
  if (connection_) {
    carry_out(attendance_.on_answered());
    return beat(*connection_);
  }
  lifecycle_.after(to_seconds(call.patience), [this] {
    on_lost({ErrorCode::kUnavailable, "no coordinator answers"});
  });
}

void CoordinatorLink::hang_up() {
  connections_.hang_up(*connection_);
  connection_.reset();
  cut_since_s_.reset();
}

void CoordinatorLink::carry_out(const worker::PassWelcome& passed) {
  const std::optional<WorkerId> before = std::exchange(worker_, WorkerId{passed.welcome.worker()});
  returns_.on_welcomed(start_.number, *worker_);
  owner_.on_welcome(passed.welcome, passed.keeps_samples, before);
}

void CoordinatorLink::carry_out(const worker::EndWorker& end) {
  if (end.why) return owner_.end("exit code 0");
  if (!attendance_.is_leaving() && !is_dismissed_) {
    returns_.on_gave_up(start_.number, queue_.now_s());
  }
  owner_.end("exit code 4: " + end.why.error().message);
}

// ---- the connection -----------------------------------------------------------------------------

void CoordinatorLink::send(const proto::FromWorker& message) {
  if (!connection_) return;
  network_.send(*connection_, start_.host, 0,
                [&connections = connections_, connection = *connection_, message] {
                  connections.receive(connection, message);
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
  hang_up();
  on_lost({ErrorCode::kUnavailable, "the coordinator does not answer"});
}

}  // namespace surety::sim
