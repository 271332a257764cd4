#include "sim/describe.h"

#include <fmt/format.h>

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
                         record.worker_gone().kind() == "lost" ? "is lost" : "leaves",
                         record.worker_gone().reason());
    case Fact::kPassDone: {
      const proto::PassDone& pass = record.pass_done();
      return fmt::format("pass {} ({}): {:.4g} after {:.3g} s on {} workers{}", pass.pass(),
                         pass.version(), pass.metric(), pass.seconds(), pass.workers(),
                         pass.iterations_again() == 0
                             ? ""
                             : fmt::format(", {} iterations done again", pass.iterations_again()));
    }
    case Fact::kVersionSwitched:
      return fmt::format("switches from {} to {}", record.version_switched().from(),
                         record.version_switched().to());
    case Fact::kCheckpointCommitted:
      return fmt::format("checkpoint of pass {}", record.checkpoint_committed().pass());
    case Fact::kCheckpointDropped:
      return record.checkpoint_dropped().folder() + " is given up";
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
