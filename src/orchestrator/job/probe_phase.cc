#include "orchestrator/job/probe_phase.h"

namespace surety::orchestrator {
namespace {

// A link is measured with this many bytes: 1 MiB takes 84 ms at 100 Mbit/s.
constexpr std::uint64_t kProbeBytes = 1 << 20;
// Links are measured for at most this share of the time to the deadline; the other links stay
// unknown. There is a link for each pair of workers, and a hanging worker must not stop the run
// here.
constexpr double kProbeShare = 0.05;

}  // namespace

PhaseChange ProbePhase::begin() {
  const std::vector<WorkerId> present = context().workforce.membership().present();
  for (const WorkerId from : present) {
    for (const WorkerId to : present) {
      if (from != to) links_.emplace_back(from, to);
    }
  }
  began_s_ = ledger().now_s();
  return probe_next();
}

PhaseChange ProbePhase::probe_next() {
  if (links_.empty()) return EnterProfile{};
  const auto [from, to] = links_.back();
  links_.pop_back();
  trainer().start(ProbeOrder{from, to, kProbeBytes}, ledger().now_s());
  return Stay{};
}

PhaseChange ProbePhase::on_tick() {
  const double took_s = ledger().now_s() - began_s_;
  if (took_s <= kProbeShare * state().record.deadline_s) return Stay{};
  trainer().forget_order();
  return EnterProfile{};
}

PhaseChange ProbePhase::on_trainer_event(const TrainerEvent& event) {
  const auto& probe = std::get<ProbeFinished>(event);
  if (probe.bytes_per_s) {
    proto::JournalRecord record;
    record.mutable_link_rate()->set_from(probe.from.value);
    record.mutable_link_rate()->set_to(probe.to.value);
    record.mutable_link_rate()->set_bytes_per_s(*probe.bytes_per_s);
    ledger().append(std::move(record));
  }
  return probe_next();
}

}  // namespace surety::orchestrator
