// How faults are injected into a simulated cluster, and the progress that is required after them.
#include <algorithm>

#include "base/check.h"
#include "sim/cluster/cluster.h"

namespace surety::sim {

// The process on that node, else the first one after it.
Process* Cluster::pick(const Fault& fault) {
  std::vector<Process*> running;
  for (const auto& [number, process] : processes_) {
    if (process->runs() && process->admitted()) running.push_back(process.get());
  }
  if (running.empty()) return nullptr;
  if (fault.target == 0) return running[random_.below(running.size())];
  const auto at = std::find_if(running.begin(), running.end(), [&](const Process* process) {
    return process->host() == fault.target;
  });
  return at != running.end() ? *at : running[fault.target % running.size()];
}

void Cluster::inject(const Fault& fault) {
  ++faults_;
  trace_.note(queue_.now_s(), name_of(fault.kind), fault.target, fault.other);
  const auto log_fault = [&](const std::string& text) { log("! " + text); };
  switch (fault.kind) {
    case FaultKind::kJoin:
      log_fault("a worker is added");
      return start_process("", false);
    case FaultKind::kCut:
    case FaultKind::kCutOneWay:
      return cut(fault);
    case FaultKind::kRackCut:
      return cut_rack(fault);
    case FaultKind::kCoordinatorCrash:
      if (!machine_) return;
      log_fault("the coordinator crashes");
      return crash_coordinator(fault.size, "killed", Workers::kStay);
    case FaultKind::kClockJump:
      log_fault(fmt::format("the coordinator's clock jumps by {:.2g} s", fault.size));
      clock_ahead_s_ += fault.size;
      return;
    case FaultKind::kDiskFull:
      log_fault("the disk is full");
      journal_.set_full(true);
      checkpoints_.set_full(true);
      queue_.after(fault.for_s, [this] {
        journal_.set_full(false);
        checkpoints_.set_full(false);
      });
      return;
    case FaultKind::kCorruptCheckpoint: {
      const std::vector<std::string> paths = checkpoints_.paths();
      if (paths.empty()) return;
      const std::string& path = paths[fault.target % paths.size()];
      log_fault(path + " is damaged");
      return checkpoints_.corrupt(path, fault.size < 0.5);
    }
    default:
      if (Process* process = pick(fault)) inject_on(*process, fault);
  }
}

void Cluster::inject_on(Process& process, const Fault& fault) {
  const auto log_fault = [&](const std::string& text) {
    log(fmt::format("! worker {} {}", process.worker(), text));
  };
  switch (fault.kind) {
    case FaultKind::kLeave:
      log_fault("is asked to leave");
      return process.ask_to_leave();
    case FaultKind::kCrash:
      log_fault("is killed");
      return process.end("signal 9 (Killed)");
    case FaultKind::kVanish:
      log_fault("vanishes with its machine");
      return process.end("gone", true);
    case FaultKind::kStall:
      log_fault(fmt::format("stalls for {:.2g} s", fault.for_s));
      return process.stall_until(queue_.now_s() + fault.for_s);
    case FaultKind::kSlow:
      log_fault(fmt::format("is slowed down {:.2g} times for {:.2g} s", fault.size, fault.for_s));
      process.set_slowness(fault.size);
      return queue_.after(fault.for_s, [&process] { process.set_slowness(1); });
    case FaultKind::kLinkBreak: {
      if (fault.other == 0) {
        log_fault("loses its connection to the coordinator");
        return break_connection(process);
      }
      const Fault other{.kind = fault.kind, .target = fault.other};
      const Process* peer = pick(other);
      if (peer == &process) return;
      log_fault(fmt::format("loses its connection to worker {}", peer->worker()));
      pipes_.break_link(process.worker(), peer->worker());
      return rounds_.break_link(process.worker(), peer->worker());
    }
    case FaultKind::kCorruptChunk:
      log_fault("will read a damaged chunk");
      return process.damage_next_chunk();
    case FaultKind::kWrongBytes:
      log_fault("will have a flipped bit in its model");
      return process.spoil_next_update();
    default:
      return;
  }
}

void Cluster::cut(const Fault& fault) {
  const Process* process = pick(fault);
  if (process == nullptr) return;
  const HostIndex a = process->host();
  const HostIndex b = fault.other % (options_.nodes + 1);
  if (a == b) return;
  const bool both = fault.kind == FaultKind::kCut;
  const std::string name = b == 0 ? "the coordinator" : fmt::format("node {}", b);
  log(both ? fmt::format("! node {} and {} cannot reach each other for {:.2g} s", a, name,
                         fault.for_s)
           : fmt::format("! {} cannot reach node {} for {:.2g} s", name, a, fault.for_s));
  network_.cut(b, a);
  if (both) network_.cut(a, b);
  queue_.after(fault.for_s, [this, a, b] {
    network_.heal(b, a);
    network_.heal(a, b);
  });
}

void Cluster::cut_rack(const Fault& fault) {
  const std::uint32_t rack = fault.target % options_.network.racks;
  log(fmt::format("! rack {} is cut off for {:.2g} s", rack, fault.for_s));
  std::vector<std::pair<HostIndex, HostIndex>> links;
  const HostIndex hosts = options_.nodes + 1;
  for (HostIndex a = 0; a < hosts; ++a) {
    for (HostIndex b = 0; b < hosts; ++b) {
      // The coordinator's machine is in no rack; it counts as part of the core.
      const bool inside_a = a > 0 && network_.rack_of(a) == rack;
      const bool inside_b = b > 0 && network_.rack_of(b) == rack;
      if (inside_a != inside_b) links.emplace_back(a, b);
    }
  }
  for (const auto& [a, b] : links) network_.cut(a, b);
  queue_.after(fault.for_s, [this, links] {
    for (const auto& [a, b] : links) network_.heal(a, b);
  });
}

void Cluster::heal() {
  log("! everything is healed");
  network_.conditions() = {};
  network_.heal_all();
  journal_.set_full(false);
  checkpoints_.set_full(false);
  for (const auto& [number, process] : processes_) {
    process->go_on();
    process->set_slowness(1);
  }
  demand_progress();
}

// Requires an iteration, or the end, within a bounded time; otherwise reports the obstacle.
void Cluster::demand_progress() {
  queue_.after(options_.progress_s_max, [this, before = watch_.iterations()] {
    if (watch_.iterations() > before) return demand_progress();
    const std::string phase = machine_ ? machine_->state().phase : "no coordinator";
    watch_.obstacle(fmt::format("no iteration for {:.3g} s ({}): {}", options_.progress_s_max,
                                phase, watch_.waits_for()));
  });
}

}  // namespace surety::sim
