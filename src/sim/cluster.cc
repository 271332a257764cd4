#include "sim/cluster.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::sim {
namespace {

// Machines for workers beyond options.nodes: for those that join by themselves, and for processes
// that end late.
constexpr std::uint32_t kSpareHosts = 16;

}  // namespace

Cluster::Cluster(SimOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      network_(queue_, options_.network, random_.fork("network"), options_.nodes + kSpareHosts + 1),
      rounds_(
          queue_, network_,
          {.member = [this](WorkerId worker) { return member(worker); },
           .finished =
               [this](WorkerId worker, std::uint64_t sequence, const std::vector<float>& values) {
                 process_of(worker)->finished(sequence, values);
               },
           .broken = [this](WorkerId worker, std::uint64_t sequence,
                            WorkerId peer) { process_of(worker)->broken(sequence, peer); }}),
      pipes_(queue_, network_,
             {.member = [this](WorkerId worker) { return member(worker); },
              .heard =
                  [this](WorkerId to, std::uint64_t exchange, WorkerId from,
                         std::vector<std::byte> bytes) {
                    process_of(to)->heard(exchange, from, std::move(bytes));
                  },
              .left = [this](WorkerId from, std::uint64_t exchange,
                             WorkerId to) { process_of(from)->left(exchange, to); },
              .broken = [this](WorkerId worker, std::uint64_t exchange,
                               WorkerId peer) { process_of(worker)->broken(exchange, peer); }}),
      watch_(options_.config, options_.checks) {
  options_.config.checkpoints_folder = "checkpoints";
  for (const Fault& fault : options_.faults.list) {
    queue_.at(fault.at_s, [this, fault] { inject(fault); });
  }
  if (options_.faults.end_s > 0) {
    queue_.at(options_.faults.begin_s, [this] { network_.weather() = options_.faults.weather; });
    queue_.at(options_.faults.end_s, [this] { heal(); });
  }
  begin_run();
}

Cluster::~Cluster() = default;

bool Cluster::step() {
  if (finished_ || !watch_.violation().empty()) return false;
  return queue_.run_next();
}

SimResult Cluster::run() {
  while (queue_.now_s() < options_.time_max_s && step()) {
  }
  SimResult result;
  result.finish = finished_;
  result.state = machine_ ? machine_->state() : state_;
  result.violation = watch_.violation();
  result.trace = trace_.hash();
  result.events = queue_.events();
  result.iterations = watch_.iterations();
  result.seconds = queue_.now_s();
  result.faults = faults_;
  result.restarts = restarts_;
  return result;
}

void Cluster::say(const std::string& text) {
  trace_.say(queue_.now_s(), text);
  if (triggered_ == options_.triggers.size()) return;
  const Trigger& next = options_.triggers[triggered_];
  if (!text.starts_with(next.line)) return;
  ++triggered_;
  queue_.after(next.after_s, [this, faults = next.faults] {
    for (const Fault& fault : faults) inject(fault);
  });
}

// ---- processes ----------------------------------------------------------------------------------

Process* Cluster::process_of(WorkerId worker) {
  const auto number = process_of_.find(worker);
  return number == process_of_.end() ? nullptr : processes_.at(number->second).get();
}

Rounds::Member Cluster::member(WorkerId worker) {
  const Process* process = process_of(worker);
  return {process->host(), !process->runs(), process->is_silent()};
}

// The machine with the fewest processes; of those the first.
HostIndex Cluster::free_host() const {
  std::vector<std::uint32_t> running(options_.nodes + kSpareHosts + 1);
  for (const auto& [number, process] : processes_) {
    if (process->runs()) ++running[process->host()];
  }
  return static_cast<HostIndex>(std::min_element(running.begin() + 1, running.end()) -
                                running.begin());
}

std::uint32_t Cluster::running_local() const {
  return static_cast<std::uint32_t>(
      std::count_if(processes_.begin(), processes_.end(), [&](const auto& entry) {
        const Process& process = *entry.second;
        return process.runs() && process.start().local && process.start().epoch == epoch_;
      }));
}

void Cluster::start_process(const std::string& type, bool local) {
  const std::uint32_t number = ++last_process_;
  const HostIndex host = free_host();
  const orchestrator::NodeTypeSpec* spec = options_.config.job.cluster.find(type);
  SURETY_CHECK(spec != nullptr);
  Random machine = random_.fork("machine", host);
  const double speed = spec->speed * std::exp(options_.node.speed_spread * machine.normal());
  processes_[number] = std::make_unique<Process>(*this,
                                                 ProcessStart{.number = number,
                                                              .host = host,
                                                              .type = spec->name,
                                                              .speed = speed,
                                                              .local = local,
                                                              .epoch = epoch_},
                                                 random_.fork("process", number));
  const double noise = 0.9 + 0.2 * random_.uniform();
  queue_.after((options_.node.start_s + spec->start_s) * noise, [this, number] { hello(number); });
}

void Cluster::hello(std::uint32_t number) {
  Process& process = *processes_.at(number);
  if (!process.runs()) return;
  // Whoever does not find the coordinator gives up; one of an older coordinator's has nobody left.
  if (process.start().epoch != epoch_ || !machine_) return process.end("exit code 4: no answer");
  const ProcessStart& start = process.start();
  network_.send(number, start.host, 0, [this, number, start] {
    if (!machine_ || start.epoch != epoch_) return;
    proto::Hello hello;
    hello.set_host(fmt::format("node-{}", start.host));
    hello.set_pid(1000 + number);
    hello.set_transport_address(fmt::format("node-{}:{}", start.host, number));
    hello.set_node_type(start.type);
    trace_.note(queue_.now_s(), "hello", number);
    feed(orchestrator::WorkerHello{number, std::move(hello), start.local});
  });
}

void Cluster::hear(std::uint32_t number, const proto::FromWorker& message) {
  const Process& process = *processes_.at(number);
  if (!machine_ || process.start().epoch != epoch_ || !process.admitted()) return;
  trace_.note(queue_.now_s(), "heard", number, static_cast<std::uint64_t>(message.message_case()),
              message.sequence());
  const WorkerId worker = process.worker();
  // A copy that comes late; answers are recognised by the command's number.
  if (!message.has_leaving() && random_.uniform() < network_.weather().doubled) {
    queue_.after(random_.uniform(), [this, worker, message, epoch = epoch_] {
      if (!machine_ || epoch != epoch_) return;
      watch_.answered(worker, message);
      feed(orchestrator::WorkerMessage{worker, message});
    });
  }
  watch_.answered(worker, message);
  feed(orchestrator::WorkerMessage{worker, message});
}

void Cluster::process_ended(std::uint32_t number, const std::string& how) {
  const Process& process = *processes_.at(number);
  const ProcessStart& start = process.start();
  trace_.note(queue_.now_s(), "ended", number);
  network_.close(number);
  if (process.is_silent() || start.epoch != epoch_) return;
  const WorkerId worker = process.worker();
  const bool joined = process.admitted();
  queue_.after(network_.options().latency_s, [this, number, start, worker, joined, how] {
    if (!machine_ || start.epoch != epoch_) return;
    if (joined) feed(orchestrator::ConnectionLost{worker, "the connection is closed"});
    if (!start.local || !machine_) return;
    feed(orchestrator::WorkerProcessEnded{fmt::format("worker process {}: {}", number, how),
                                          running_local(), start.type, joined});
  });
}

void Cluster::learning(WorkerId worker, const Held& held, const proto::ToWorker& order) {
  if (process_of(worker)->start().epoch == epoch_) watch_.learning(worker, held, order);
}

void Cluster::exchanged(WorkerId worker, const Exchanged& what) {
  if (process_of(worker)->start().epoch == epoch_) watch_.exchanged(worker, what);
}

}  // namespace surety::sim
