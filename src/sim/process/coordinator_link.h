// The connection of a simulated worker process to its coordinator.
//
//   unconnected -> connected      a call is answered
//   connected -> unconnected      the stream ends, nothing arrives any more, or the process closes
//                                 it
//
// The real code (worker/attendance.h) decides when the process calls, closes the connection and
// ends; this class carries the decisions out. Each call makes a new connection. Messages that
// arrive over an older one are ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/returns.h"
#include "sim/process/lifecycle.h"
#include "sim/process/process_start.h"
#include "sim/world/connections.h"
#include "sim/world/options.h"
#include "worker/attendance.h"

namespace surety::sim {

class CoordinatorLink {
 public:
  // The process at this end of the connection.
  struct Owner {
    std::function<std::vector<ChunkId>()> chunks;  // Chunks whose samples it holds.
    // `before` is its id until now, if it had one.
    std::function<void(const proto::Welcome&, bool keeps_samples, std::optional<WorkerId> before)>
        on_welcome;
    std::function<void(const proto::ToWorker&)> on_command;
    std::function<void()> on_lost;
    std::function<void(const std::string& how)> end;
  };
  // The arguments must outlive this.
  CoordinatorLink(const ProcessStart& start, const SimOptions& options, EventQueue& queue,
                  Network& network, Connections& connections, Returns& returns,
                  Lifecycle& lifecycle, Owner owner);

  void call();
  // The process gets a stop signal.
  void leave();
  // Does nothing if there is no connection.
  void send(const proto::FromWorker& message);

  // A message arrives over this connection.
  void receive(std::uint64_t connection, const proto::ToWorker& message);
  // This connection has ended.
  void on_ended(std::uint64_t connection);

  // The id in its last Welcome, if it has received one.
  [[nodiscard]] std::optional<WorkerId> worker() const { return worker_; }
  [[nodiscard]] std::optional<std::uint64_t> connection() const { return connection_; }

 private:
  [[nodiscard]] worker::AttendanceOptions attendance_options() const;
  [[nodiscard]] Time now() const { return Time{from_seconds(queue_.now_s())}; }
  void carry_out(worker::Effects effects);
  void carry_out(const worker::CallCoordinator& call);
  void carry_out(const worker::PassWelcome& passed);
  void carry_out(const worker::EndWorker& end);
  // The call was not answered, or there is no connection any more.
  void on_lost(const Error& why);
  void hang_up();
  void beat(std::uint64_t connection);
  void look_at_connection();

  const ProcessStart& start_;
  const SimOptions& options_;
  EventQueue& queue_;
  Network& network_;
  Connections& connections_;
  Returns& returns_;
  Lifecycle& lifecycle_;
  Owner owner_;
  worker::Attendance attendance_;
  std::optional<WorkerId> worker_;
  std::optional<std::uint64_t> connection_;
  bool is_dismissed_ = false;  // A coordinator has told it to end, possibly because of a fault.
  // The time since which its messages over the connection do not arrive.
  std::optional<double> cut_since_s_;
};

}  // namespace surety::sim
