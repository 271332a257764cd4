// Worker processes of a simulated cluster and their connections to the coordinator: what
// runtime/coordinator/process_launcher.cc and runtime/control/control_server.cc do for real.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sim/cluster/cluster.h"

namespace surety::sim {
namespace {

// The coordinator notices a broken connection up to this much later than the worker. So the worker
// may call again before or after that.
constexpr double kNoticeS = 0.2;

}  // namespace

// ---- processes ----------------------------------------------------------------------------------

Process* Cluster::process_of(WorkerId worker) {
  const auto worker_entry = admitted_.find(worker);
  return worker_entry == admitted_.end() ? nullptr
                                         : processes_.at(worker_entry->second.process).get();
}

// A worker that has another id by now is not present under this one.
Rounds::Member Cluster::member(WorkerId worker) {
  const Process* process = process_of(worker);
  const bool is_there = process->runs() && process->worker() <= worker;
  return {process->host(), !is_there, process->is_silent()};
}

// The machine with the fewest processes; ties go to the first one.
HostIndex Cluster::free_host() const {
  std::vector<std::uint32_t> running(hosts());
  for (const auto& [number, process] : processes_) {
    if (process->runs()) ++running[process->host()];
  }
  return static_cast<HostIndex>(std::min_element(running.begin() + 1, running.end()) -
                                running.begin());
}

std::vector<plan::NodeCount> Cluster::left() const {
  std::map<std::string, std::uint32_t> counts;
  for (const auto& [number, process] : processes_) {
    if (process->runs() && process->start().local) ++counts[process->start().type];
  }
  std::vector<plan::NodeCount> left;
  for (const auto& [type, count] : counts) left.push_back({type, count});
  return left;
}

void Cluster::start_process(const std::string& type, bool local) {
  const std::uint32_t number = ++last_process_;
  const HostIndex host = free_host();
  const job::NodeTypeSpec* spec = options_.config.job.cluster.find(type);
  SURETY_CHECK(spec != nullptr);
  Random machine = random_.fork("machine", host);
  const double speed = spec->speed * std::exp(options_.node.speed_spread * machine.normal());
  processes_[number] = std::make_unique<Process>(
      *this,
      ProcessStart{
          .number = number, .host = host, .type = spec->name, .speed = speed, .local = local},
      random_.fork("process", number));
  const double noise = 0.9 + 0.2 * random_.uniform();
  queue_.after((options_.node.start_s + spec->start_s) * noise,
               [process = processes_[number].get()] { process->begin(); });
}

void Cluster::on_process_ended(std::uint32_t number, const std::string& how) {
  const Process& process = *processes_.at(number);
  trace_.note(queue_.now_s(), "ended", number);
  network_.close(process.connection());
  if (process.is_silent()) return;
  const bool local = process.start().local;
  queue_.after(network_.options().latency_s,
               [this, number, connection = process.connection(), local, how, epoch = epoch_] {
                 on_closed(connection, "the connection is closed");
                 if (!local || !machine_ || epoch != epoch_) return;
                 const std::vector<plan::NodeCount> left = this->left();
                 std::uint32_t running = 0;
                 for (const plan::NodeCount& nodes : left) running += nodes.count;
                 feed(orchestrator::WorkerProcessEnded{
                     fmt::format("worker process {}: {}", number, how), running,
                     processes_.at(number)->start().type, joined_.contains(number)});
               });
}

// ---- connections --------------------------------------------------------------------------------

std::uint64_t Cluster::connect(std::uint32_t number, const proto::Hello& hello) {
  const HostIndex host = processes_.at(number)->host();
  if (!machine_ || network_.is_cut(host, 0) || network_.is_cut(0, host)) return 0;
  const std::uint64_t connection = ++last_connection_;
  open_[connection] = {number, {}};
  network_.send(connection, host, 0, [this, connection, hello] { on_opened(connection, hello); });
  return connection;
}

void Cluster::on_opened(std::uint64_t connection, const proto::Hello& hello) {
  if (!open_.contains(connection)) return;
  const std::uint32_t number = open_.at(connection).process;
  const bool local = processes_.at(number)->start().local;
  const bool is_first = joined_.insert(number).second;
  trace_.note(queue_.now_s(), "hello", number, hello.worker());
  watch_.returns().on_hello(number, hello);
  feed(orchestrator::WorkerHello{
      .connection = connection, .hello = hello, .local = local, .again = local && !is_first});
}

void Cluster::hang_up(std::uint64_t connection) {
  const auto end = open_.find(connection);
  if (end == open_.end()) return network_.close(connection);
  const HostIndex host = processes_.at(end->second.process)->host();
  network_.send(connection, host, 0,
                [this, connection] { on_closed(connection, "connection lost"); });
}

// The connection was closed at the worker's end.
void Cluster::on_closed(std::uint64_t connection, const std::string& why) {
  network_.close(connection);
  const auto end = open_.extract(connection);
  if (end.empty() || end.mapped().worker.value == 0) return;
  feed(orchestrator::ConnectionLost{end.mapped().worker, why});
}

// Closes the connection at this end; its process notices when that reaches it.
void Cluster::close(std::uint64_t connection) {
  const auto end = open_.extract(connection);
  if (end.empty()) return;
  Process* process = processes_.at(end.mapped().process).get();
  if (!process->runs()) return;
  network_.send(connection, 0, process->host(),
                [process, connection] { process->stream_ended(connection); });
}

void Cluster::break_connection(Process& process) {
  const std::uint64_t connection = process.connection();
  if (connection == 0) return;
  process.stream_ended(connection);
  queue_.after(kNoticeS * random_.uniform(),
               [this, connection] { on_closed(connection, "the connection is broken"); });
}

void Cluster::receive(std::uint64_t connection, const proto::FromWorker& message) {
  const auto end = open_.find(connection);
  if (end == open_.end() || end->second.worker.value == 0) return;
  const WorkerId worker = end->second.worker;
  trace_.note(queue_.now_s(), "heard", end->second.process,
              static_cast<std::uint64_t>(message.message_case()), message.sequence());
  // A copy that arrives late; the coordinator recognises answers by the command's number.
  if (!message.has_leaving() && random_.uniform() < network_.conditions().doubled) {
    queue_.after(random_.uniform(), [this, worker, message, epoch = epoch_] {
      if (!machine_ || epoch != epoch_) return;
      watch_.on_answer(worker, message);
      feed(orchestrator::WorkerMessage{worker, message});
    });
  }
  watch_.on_answer(worker, message);
  feed(orchestrator::WorkerMessage{worker, message});
}

// Work for a coordinator that has ended is not checked.
void Cluster::learning(WorkerId worker, const Held& held, const proto::ToWorker& order) {
  if (admitted_.at(worker).epoch == epoch_) watch_.on_learning(worker, held, order);
}

void Cluster::exchanged(WorkerId worker, const Exchanged& what) {
  if (admitted_.at(worker).epoch == epoch_) watch_.on_exchanged(worker, what);
}

}  // namespace surety::sim
