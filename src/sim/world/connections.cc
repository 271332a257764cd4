#include "sim/world/connections.h"

namespace surety::sim {
namespace {

// The coordinator notices a broken connection up to this time later than the worker. So the worker
// may call again before or after that.
constexpr double kNoticeS = 0.2;

}  // namespace

Connections::Connections(EventQueue& queue, Network& network, Trace& trace, Random& random,
                         Processes processes, Coordinator coordinator)
    : queue_(queue),
      network_(network),
      trace_(trace),
      random_(random),
      processes_(std::move(processes)),
      coordinator_(std::move(coordinator)) {}

// ---- the coordinator ----------------------------------------------------------------------------

void Connections::begin() {
  is_answered_ = true;
  ++coordinators_;
}

void Connections::end() {
  is_answered_ = false;
  while (!open_.empty()) close_connection(open_.begin()->first);
  workers_ = {};
}

void Connections::admit(std::uint64_t connection, WorkerId worker) {
  workers_.admit(connection, worker);
  processes_.admitted(open_.at(connection), worker);
}

void Connections::send(WorkerId to, proto::ToWorker message) {
  const std::optional<std::uint64_t> connection = workers_.of(to);
  if (!connection) return;
  const std::uint32_t process = open_.at(*connection);
  if (!processes_.runs(process)) return;
  network_.send(*connection, 0, processes_.host(process),
                [this, process, connection = *connection, message = std::move(message)] {
                  processes_.receive(process, connection, message);
                });
}

void Connections::close(WorkerId worker) {
  if (const auto connection = workers_.remove(worker)) close_connection(*connection);
}

// Closes the connection at this end; the process notices this after the latency.
void Connections::close_connection(std::uint64_t connection) {
  const auto end = open_.extract(connection);
  if (end.empty()) return;
  const std::uint32_t process = end.mapped();
  if (!processes_.runs(process)) return;
  network_.send(connection, 0, processes_.host(process),
                [this, process, connection] { processes_.end(process, connection); });
}

// ---- the processes ------------------------------------------------------------------------------

std::optional<std::uint64_t> Connections::connect(std::uint32_t process,
                                                  const proto::Hello& hello) {
  const HostIndex host = processes_.host(process);
  if (!is_answered_ || network_.is_cut(host, 0) || network_.is_cut(0, host)) return std::nullopt;
  const std::uint64_t connection = ++last_connection_;
  open_[connection] = process;
  network_.send(connection, host, 0, [this, connection, hello] {
    const auto end = open_.find(connection);
    if (end == open_.end()) return;
    trace_.note("hello", end->second, hello.worker());
    coordinator_.called(connection, end->second, hello);
  });
  return connection;
}

void Connections::receive(std::uint64_t connection, const proto::FromWorker& message) {
  const std::optional<WorkerId> worker = workers_.worker_of(connection);
  if (!worker) return;
  trace_.note("heard", open_.at(connection), static_cast<std::uint64_t>(message.message_case()),
              message.sequence());
  if (!message.has_leaving() && random_.uniform() < network_.conditions().doubled) {
    receive_again(*worker, message);
  }
  coordinator_.received(*worker, message);
}

// A copy that arrives late. The coordinator recognises it by the number of the command.
void Connections::receive_again(WorkerId worker, const proto::FromWorker& message) {
  queue_.after(random_.uniform(), [this, worker, message, coordinator = coordinators_] {
    if (is_answered_ && coordinator == coordinators_) coordinator_.received(worker, message);
  });
}

void Connections::hang_up(std::uint64_t connection) {
  const auto end = open_.find(connection);
  if (end == open_.end()) return network_.close(connection);
  network_.send(connection, processes_.host(end->second), 0,
                [this, connection] { on_closed(connection, "connection lost"); });
}

void Connections::on_closed(std::uint64_t connection, const std::string& why) {
  network_.close(connection);
  open_.erase(connection);
  if (const auto worker = workers_.on_closed(connection)) coordinator_.lost(*worker, why);
}

void Connections::break_off(std::uint32_t process, std::uint64_t connection) {
  processes_.end(process, connection);
  queue_.after(kNoticeS * random_.uniform(),
               [this, connection] { on_closed(connection, "the connection is broken"); });
}

}  // namespace surety::sim
