#include "sim/learning/describe.h"

#include <fmt/format.h>

#include "base/words.h"
#include "orchestrator/history/departure_kind.h"
#include "proto/surety.pb.h"

namespace surety::sim {

std::string describe(const proto::JournalRecord& record) {
  using Fact = proto::JournalRecord;
  switch (record.fact_case()) {
    case Fact::kPhaseBegan:
      return "phase: " + record.phase_began().phase();
    case Fact::kWorkerJoined:
      return fmt::format("worker {} joins from {}", record.worker_joined().worker(),
                         record.worker_joined().host());
    case Fact::kWorkerGone:
      return fmt::format("worker {} {}: {}", record.worker_gone().worker(),
                         record.worker_gone().kind() == name_of(orchestrator::DepartureKind::kLost)
                             ? "is lost"
                             : "leaves",
                         record.worker_gone().reason());
    case Fact::kPassDone: {
      const proto::PassDone& pass = record.pass_done();
      const std::uint32_t again = pass.iterations_again();
      std::string text =
          fmt::format("pass {} ({}): {:.4g} after {:.3g} s on {}", pass.pass(), pass.version(),
                      pass.metric(), pass.seconds(), counted(pass.workers(), "worker"));
      if (again > 0) text += fmt::format(", {} repeated", counted(again, "iteration"));
      return text;
    }
    case Fact::kVersionSwitched:
      return fmt::format("the version changes from {} to {}", record.version_switched().from(),
                         record.version_switched().to());
    case Fact::kCheckpointCommitted:
      return fmt::format("checkpoint of pass {}", record.checkpoint_committed().pass());
    case Fact::kCheckpointDropped:
      return record.checkpoint_dropped().folder() + " is abandoned";
    case Fact::kRunStopped:
      return "training stops: " + record.run_stopped().reason();
    case Fact::kCertified:
      return fmt::format("certified: {:.4g} on {} samples", record.certified().metric(),
                         record.certified().samples());
    case Fact::kRunEnded:
      return "verdict: " + record.run_ended().verdict();
    default:
      return "";
  }
}

}  // namespace surety::sim
