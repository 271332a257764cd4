#include "sim/cluster/launcher.h"

#include <fmt/format.h>

#include "base/words.h"

namespace surety::sim {

std::vector<plan::NodeCount> Launcher::begin() {
  std::vector<plan::NodeCount> remaining = processes_.started_by_coordinators();
  watch_.returns().on_begin(remaining);
  return remaining;
}

void Launcher::launch(const plan::NodeCount& nodes) {
  watch_.returns().on_launch(nodes.count);
  trace_.log(fmt::format("{} started{}", counted(nodes.count, "worker"),
                         nodes.type == "local" ? "" : " as " + nodes.type));
  for (std::uint32_t i = 0; i < nodes.count; ++i) {
    processes_.start(nodes.type, false);
    watch_.returns().on_launched(processes_.started());
  }
}

orchestrator::WorkerProcessEnded Launcher::end_of(
    std::uint32_t process, const std::string& how,
    const orchestrator::WorkerConnections& connections) const {
  const bool joined = connections.joined().contains(process);
  if (!joined) watch_.returns().on_never_called();
  std::uint32_t running = 0;
  for (const plan::NodeCount& nodes : processes_.started_by_coordinators()) running += nodes.count;
  return {fmt::format("worker process {}: {}", process, how), running,
          processes_.at(process).start().type, joined, connections.last_of(process)};
}

void Launcher::end(Remaining workers) {
  if (workers == Remaining::kStay) return;
  for (Process* process : processes_.all()) {
    if (!process->start().joined_by_itself) process->end("signal 15 (Terminated)");
  }
}

}  // namespace surety::sim
