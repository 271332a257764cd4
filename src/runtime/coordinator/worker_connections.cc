#include "runtime/coordinator/worker_connections.h"

namespace surety::runtime {
namespace {

template <typename Key, typename Value>
std::optional<Value> find(const std::map<Key, Value>& map, Key key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void WorkerConnections::admit(std::uint64_t connection, WorkerId worker) {
  worker_of_[connection] = worker;
  connection_of_[worker] = connection;
  if (const auto launch = launch_of(connection)) last_of_[*launch] = worker;
}

std::optional<WorkerId> WorkerConnections::on_closed(std::uint64_t connection) {
  launch_of_.erase(connection);
  const std::optional<WorkerId> worker = worker_of(connection);
  if (worker) remove(*worker);
  return worker;
}

std::optional<std::uint64_t> WorkerConnections::remove(WorkerId worker) {
  const std::optional<std::uint64_t> connection = of(worker);
  if (!connection) return std::nullopt;
  worker_of_.erase(*connection);
  connection_of_.erase(worker);
  return connection;
}

std::optional<WorkerId> WorkerConnections::worker_of(std::uint64_t connection) const {
  return find(worker_of_, connection);
}

std::optional<std::uint64_t> WorkerConnections::of(WorkerId worker) const {
  return find(connection_of_, worker);
}

std::optional<WorkerId> WorkerConnections::last_of(std::uint32_t launch) const {
  return find(last_of_, launch);
}

std::optional<std::uint32_t> WorkerConnections::launch_of(std::uint64_t connection) const {
  return find(launch_of_, connection);
}

}  // namespace surety::runtime
