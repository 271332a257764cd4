#include "orchestrator/workforce/worker_connections.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace surety::orchestrator {
namespace {

template <typename Key, typename Value>
std::optional<Value> value_at(const std::map<Key, Value>& map, Key key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

WorkerMessage message_of(WorkerId worker, proto::FromWorker message) {
  if (message.has_failed()) {
    proto::Failed& failed = *message.mutable_failed();
    failed.set_message(plain_text(failed.message(), kMessageBytesMax));
  }
  return {worker, std::move(message)};
}

WorkerHello WorkerConnections::on_opened(std::uint64_t connection, proto::Hello hello,
                                         std::optional<std::uint32_t> launch,
                                         std::optional<std::string> invitation) {
  hello.set_host(plain_text(hello.host(), kHostBytesMax));
  WorkerHello event{
      .connection = connection, .hello = std::move(hello), .invitation = std::move(invitation)};
  if (!launch || event.invitation) return event;
  launch_of_[connection] = *launch;
  event.origin = joined_.insert(*launch).second ? Origin::kStarted : Origin::kCallsAgain;
  return event;
}

std::optional<WorkerId> WorkerConnections::on_closed(std::uint64_t connection) {
  launch_of_.erase(connection);
  const std::optional<WorkerId> worker = worker_of(connection);
  if (worker) remove(*worker);
  return worker;
}

void WorkerConnections::admit(std::uint64_t connection, WorkerId worker) {
  SURETY_CHECK(!worker_of(connection));
  SURETY_CHECK(!of(worker));
  worker_of_[connection] = worker;
  connection_of_[worker] = connection;
  if (const auto launch = launch_of(connection)) last_of_[*launch] = worker;
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

std::optional<std::uint32_t> WorkerConnections::launch_of(std::uint64_t connection) const {
  return value_at(launch_of_, connection);
}

std::optional<std::uint32_t> WorkerConnections::on_notice(std::uint64_t connection,
                                                          const proto::FromWorker& message) const {
  return message.has_leaving() ? launch_of(connection) : std::nullopt;
}

std::optional<WorkerId> WorkerConnections::last_of(std::uint32_t launch) const {
  return value_at(last_of_, launch);
}

}  // namespace surety::orchestrator
