#include "sim/cluster/cluster.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::sim {
Cluster::Cluster(SimOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      network_(queue_, options_.network, random_.fork("network"), hosts()),
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
              .received =
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
    queue_.at(options_.faults.begin_s,
              [this] { network_.conditions() = options_.faults.conditions; });
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
  result.processes = last_process_;
  result.chunks_read = watch_.returns().chunks_read();
  return result;
}

void Cluster::log(const std::string& text) {
  trace_.log(queue_.now_s(), text);
  if (triggered_ == options_.triggers.size()) return;
  const Trigger& next = options_.triggers[triggered_];
  if (!text.starts_with(next.line)) return;
  ++triggered_;
  queue_.after(next.after_s, [this, faults = next.faults] {
    for (const Fault& fault : faults) inject(fault);
  });
}

}  // namespace surety::sim
