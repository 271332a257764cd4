#include "orchestrator/job/worker_connections.h"

#include <utility>

#include "base/check.h"

namespace surety::orchestrator {
namespace {

template <typename Key, typename Value>
std::optional<Value> value_at(const std::map<Key, Value>& map, Key key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

WorkerHello WorkerConnections::on_opened(std::uint64_t connection, proto::Hello hello,
                                         std::optional<std::uint32_t> process) {
  WorkerHello event{
      .connection = connection, .hello = std::move(hello), .local = process.has_value()};
  if (!process) return event;
  process_of_[connection] = *process;
  event.again = !joined_.insert(*process).second;
  return event;
}

std::optional<WorkerId> WorkerConnections::on_closed(std::uint64_t connection) {
  process_of_.erase(connection);
  const std::optional<WorkerId> worker = worker_of(connection);
  if (worker) remove(*worker);
  return worker;
}

void WorkerConnections::admit(std::uint64_t connection, WorkerId worker) {
  SURETY_CHECK(!worker_of(connection));
  SURETY_CHECK(!of(worker));
  worker_of_[connection] = worker;
  connection_of_[worker] = connection;
  if (const auto process = process_of(connection)) last_of_[*process] = worker;
}

std::optional<std::uint64_t> WorkerConnections::remove(WorkerId worker) {
  const std::optional<std::uint64_t> connection = of(worker);
  if (!connection) return std::nullopt;
  worker_of_.erase(*connection);
  connection_of_.erase(worker);
  return connection;
}

std::optional<WorkerId> WorkerConnections::worker_of(std::uint64_t connection) const {
  return value_at(worker_of_, connection);
}

std::optional<std::uint64_t> WorkerConnections::of(WorkerId worker) const {
  return value_at(connection_of_, worker);
}

std::optional<std::uint32_t> WorkerConnections::process_of(std::uint64_t connection) const {
  return value_at(process_of_, connection);
}

std::optional<WorkerId> WorkerConnections::last_of(std::uint32_t process) const {
  return value_at(last_of_, process);
}

}  // namespace surety::orchestrator
