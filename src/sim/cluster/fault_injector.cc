#include "sim/cluster/fault_injector.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace surety::sim {

void FaultInjector::on_line(const std::string& line) {
  if (triggered_ == options_.triggers.size()) return;
  const Trigger& next = options_.triggers[triggered_];
  if (!line.starts_with(next.line)) return;
  ++triggered_;
  queue_.after(next.after_s, [this, faults = next.faults] {
    for (const Fault& fault : faults) inject(fault);
  });
}

void FaultInjector::inject(const Fault& fault) {
  ++faults_;
  trace_.note(name_of(fault.kind), fault.target.value_or(0), fault.other);
  const auto log = [&](const std::string& text) { trace_.log("! " + text); };
  switch (fault.kind) {
    case FaultKind::kJoin:
      log("a worker is added");
      return targets_.processes.start("", true);
    case FaultKind::kCut:
    case FaultKind::kCutOneWay:
      return cut(fault);
    case FaultKind::kRackCut:
      return cut_rack(fault);
    case FaultKind::kCoordinatorCrash:
      if (!targets_.coordinator.runs()) return;
      log("the coordinator crashes");
      return targets_.coordinator.crash(fault.torn_share(), "killed", Remaining::kStay);
    case FaultKind::kClockJump:
      log(fmt::format("the coordinator's clock jumps by {:.2g} s", fault.jump_s()));
      return targets_.coordinator.jump_clock(fault.jump_s());
    case FaultKind::kDiskFull:
      log("the disk is full");
      return fill_disk(fault.for_s);
    case FaultKind::kCorruptCheckpoint:
      return damage_checkpoint(fault);
    default:
      if (Process* process = pick(fault)) inject_on(*process, fault);
  }
}

void FaultInjector::end_after(double for_s, double& until_s, std::function<void()> end) {
  const double ends_at_s = queue_.now_s() + for_s;
  until_s = std::max(until_s, ends_at_s);
  queue_.at(ends_at_s, [&until_s, ends_at_s, end = std::move(end)] {
    if (ends_at_s >= until_s) end();
  });
}

void FaultInjector::heal() {
  trace_.log("! everything is healed");
  targets_.network.conditions() = {};
  targets_.network.heal_all();
  set_full(false);
  for (Process* process : targets_.processes.all()) {
    process->go_on();
    process->set_slowness(1);
  }
}

// ---- workers ------------------------------------------------------------------------------------

// The process on that node. If there is none, another process is chosen by the node's number.
// Without a number a random process is chosen.
Process* FaultInjector::pick(const Fault& fault) {
  std::vector<Process*> running = targets_.processes.all();
  std::erase_if(running, [](const Process* process) {
    return !process->runs() || !process->link().worker();
  });
  if (running.empty()) return nullptr;
  if (!fault.target) return running[random_.below(running.size())];
  const auto at = std::ranges::find_if(
      running, [&](const Process* process) { return process->host() == *fault.target; });
  return at != running.end() ? *at : running[*fault.target % running.size()];
}

void FaultInjector::inject_on(Process& process, const Fault& fault) {
  const WorkerId worker = process.link().worker().value();
  const auto log = [&](const std::string& text) {
    trace_.log(fmt::format("! worker {} {}", worker, text));
  };
  switch (fault.kind) {
    case FaultKind::kLeave:
      log("is asked to leave");
      return process.link().leave();
    case FaultKind::kCrash:
      log("is killed");
      return process.end("signal 9 (Killed)");
    case FaultKind::kVanish:
      log("vanishes with its machine");
      return process.end("gone", true);
    case FaultKind::kStall:
      log(fmt::format("stalls for {:.2g} s", fault.for_s));
      return process.stall_until(queue_.now_s() + fault.for_s);
    case FaultKind::kSlow:
      log(fmt::format("is slowed down {:.2g} times for {:.2g} s", fault.slowness(), fault.for_s));
      process.set_slowness(fault.slowness());
      return end_after(fault.for_s, slow_until_s_[process.start().number],
                       [&process] { process.set_slowness(1); });
    case FaultKind::kLinkBreak:
      return break_link(process, fault);
    case FaultKind::kCorruptChunk:
      log("will read a damaged chunk");
      return process.damage_next_chunk();
    case FaultKind::kWrongBytes:
      log("will have a flipped bit in its model");
      return process.spoil_next_update();
    case FaultKind::kLostValues:
      log("loses what it sends in a round");
      return targets_.rounds.lose_values(worker);
    default:
      return;
  }
}

void FaultInjector::break_link(Process& process, const Fault& fault) {
  const WorkerId worker = process.link().worker().value();
  const auto log = [&](const std::string& text) {
    trace_.log(fmt::format("! worker {} loses its connection to {}", worker, text));
  };
  if (fault.other == 0) {
    log("the coordinator");
    if (const std::optional<std::uint64_t> connection = process.link().connection()) {
      targets_.connections.break_off(process.start().number, *connection);
    }
    return;
  }
  const Process* peer = pick({.kind = fault.kind, .target = fault.other});
  if (peer == &process) return;
  const WorkerId other = peer->link().worker().value();
  log(fmt::format("worker {}", other));
  targets_.pipes.break_link(worker, other);
  targets_.rounds.break_link(worker, other);
}

// ---- the network --------------------------------------------------------------------------------

void FaultInjector::cut(const Fault& fault) {
  const Process* process = pick(fault);
  if (process == nullptr) return;
  const HostIndex a = process->host();
  const HostIndex b = fault.other % (options_.nodes + 1);
  if (a == b) return;
  const bool both = fault.kind == FaultKind::kCut;
  const std::string name = b == 0 ? "the coordinator" : fmt::format("node {}", b);
  trace_.log(both ? fmt::format("! node {} and {} cannot reach each other for {:.2g} s", a, name,
                                fault.for_s)
                  : fmt::format("! {} cannot reach node {} for {:.2g} s", name, a, fault.for_s));
  cut_link(b, a, fault.for_s);
  if (both) cut_link(a, b, fault.for_s);
}

void FaultInjector::cut_rack(const Fault& fault) {
  const std::uint32_t rack = fault.target.value_or(0) % options_.network.racks;
  trace_.log(fmt::format("! rack {} is cut off for {:.2g} s", rack, fault.for_s));
  std::vector<std::pair<HostIndex, HostIndex>> links;
  const HostIndex hosts = options_.nodes + 1;
  for (HostIndex a = 0; a < hosts; ++a) {
    for (HostIndex b = 0; b < hosts; ++b) {
      // The coordinator's machine is in no rack; it counts as part of the core.
      const bool inside_a = a > 0 && targets_.network.rack_of(a) == rack;
      const bool inside_b = b > 0 && targets_.network.rack_of(b) == rack;
      if (inside_a != inside_b) links.emplace_back(a, b);
    }
  }
  for (const auto& [a, b] : links) cut_link(a, b, fault.for_s);
}

void FaultInjector::cut_link(HostIndex from, HostIndex to, double for_s) {
  targets_.network.cut(from, to);
  end_after(for_s, cut_until_s_[{from, to}], [this, from, to] { targets_.network.heal(from, to); });
}

// ---- disks --------------------------------------------------------------------------------------

void FaultInjector::damage_checkpoint(const Fault& fault) {
  const std::vector<std::string> paths = targets_.checkpoints.paths();
  if (paths.empty()) return;
  const std::string& path = paths[fault.target.value_or(0) % paths.size()];
  trace_.log("! " + path + " is damaged");
  targets_.checkpoints.corrupt(path, fault.is_quiet());
}

void FaultInjector::fill_disk(double for_s) {
  set_full(true);
  end_after(for_s, full_until_s_, [this] { set_full(false); });
}

void FaultInjector::set_full(bool full) {
  targets_.journal.set_full(full);
  targets_.checkpoints.set_full(full);
}

}  // namespace surety::sim
