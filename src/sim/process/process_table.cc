#include "sim/process/process_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "job/job.h"

namespace surety::sim {

ProcessTable::ProcessTable(World world, Random& random)
    : world_(std::move(world)), random_(random) {
  world_.peers = {
      .find = [this](WorkerId worker) { return reach(worker); },
      .deliver =
          [this](WorkerId to, const fabric::Tag& tag, const std::vector<std::byte>& bytes) {
            Process& receiver = *of(to);
            const bool runs = receiver.runs();
            if (runs) receiver.on_blob(tag, bytes);
            return runs;
          }};
}

void ProcessTable::start(const std::string& type, bool joined_by_itself) {
  const std::uint32_t number = started() + 1;
  const HostIndex host = free_host();
  const job::NodeTypeSpec* spec = world_.options.config.job.cluster.find(type);
  SURETY_CHECK(spec != nullptr);
  Random machine = random_.fork("machine", host);
  const double speed = spec->speed * std::exp(world_.options.node.speed_spread * machine.normal());
  const ProcessStart start{.number = number,
                           .host = host,
                           .type = spec->name,
                           .speed = speed,
                           .joined_by_itself = joined_by_itself};
  const auto& process = processes_[number] =
      std::make_unique<Process>(world_, start, random_.fork("process", number));
  const double noise = 0.9 + 0.2 * random_.uniform();
  world_.queue.after((world_.options.node.start_s + spec->start_s) * noise,
                     [process = process.get()] { process->link().call(); });
}

Process* ProcessTable::of(WorkerId worker) const {
  const auto process = process_of_.find(worker);
  return process == process_of_.end() ? nullptr : &at(process->second);
}

Result<HostIndex> ProcessTable::reach(WorkerId worker) const {
  const Process* process = of(worker);
  if (process != nullptr && (process->runs() || process->is_silent())) return process->host();
  return fail(ErrorCode::kUnavailable, "worker {} cannot be reached", worker);
}

// A worker that has another id by now is not present under this id. A worker that has not received
// its first id yet is present.
Rounds::Member ProcessTable::member(WorkerId worker) const {
  const Process* process = of(worker);
  const bool is_there = process->runs() && process->link().worker() <= worker;
  return {process->host(), !is_there, process->is_silent()};
}

std::vector<Process*> ProcessTable::all() const {
  std::vector<Process*> all;
  for (const auto& [number, process] : processes_) all.push_back(process.get());
  return all;
}

std::vector<plan::NodeCount> ProcessTable::started_by_coordinators() const {
  std::map<std::string, std::uint32_t> counts;
  for (const auto& [number, process] : processes_) {
    if (process->runs() && !process->start().joined_by_itself) ++counts[process->start().type];
  }
  std::vector<plan::NodeCount> running;
  for (const auto& [type, count] : counts) running.push_back({type, count});
  return running;
}

// Ties go to the first machine.
HostIndex ProcessTable::free_host() const {
  std::vector<std::uint32_t> running(hosts(world_.options));
  for (const auto& [number, process] : processes_) {
    if (process->runs()) ++running[process->host()];
  }
  return static_cast<HostIndex>(std::min_element(running.begin() + 1, running.end()) -
                                running.begin());
}

}  // namespace surety::sim
