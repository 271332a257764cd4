// The events of the job machine, and the effects that it requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "certificate/certificate.h"
#include "orchestrator/session/trainer_events.h"
#include "plan/plan.h"
#include "plan/plan_options.h"
#include "plan/profile.h"
#include "plan/types.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// ---- events -------------------------------------------------------------------------------------
struct Started {  // The first event; it comes once.
  // Processes of an earlier coordinator that still run.
  std::vector<plan::NodeCount> remaining{};
  // Whether they find this coordinator, so that each will send a Hello or end.
  bool remaining_find_us = true;
};
// Where a worker that calls comes from.
enum class Origin : std::uint8_t {
  kJoinedByItself,  // No coordinator of the run started it.
  kStarted,     // StartWorkers or an earlier coordinator started it, and this is its first Hello.
  kCallsAgain,  // It was started like that, and has sent a Hello to this coordinator before.
};
struct WorkerHello {
  std::uint64_t connection = 0;
  proto::Hello hello;  // Its node_type is empty or a type of the job.
  Origin origin = Origin::kJoinedByItself;
  // The name of an invited worker; absent if the worker has the token of the run. Only a worker
  // with the token can prove which worker it was before, and which coordinator it has seen.
  std::optional<std::string> invitation{};
};
struct WorkerMessage {
  WorkerId worker;
  proto::FromWorker message;
};
struct ConnectionLost {
  WorkerId worker;
  std::string reason;
};
struct WorkerProcessEnded {   // A process that StartWorkers started has ended.
  std::string what;           // "worker process 2 (pid 812): exit code 4"
  std::uint32_t running = 0;  // Processes that still run.
  std::string type;           // Node type as which it was started.
  bool joined = false;        // The process had sent a Hello.
  // The worker that the process was last; absent if it was not admitted.
  std::optional<WorkerId> worker{};
};
struct WorkersNotStarted {  // Processes that StartWorkers requested could not be started.
  plan::NodeCount nodes;
  std::string reason;
};
// From now on the allocation has this number of usable nodes of this type.
struct NodesAvailable {
  plan::NodeCount nodes;
};
struct StopRequested {};
// The result of MeasureAgain.
struct MeasuredAgain {
  Result<certificate::MetricValues> values;
};
// The result of MakePlan.
struct PlanMade {
  Result<plan::Decision> decision;
};
struct Tick {};
using Event =
    std::variant<Started, WorkerHello, WorkerMessage, ConnectionLost, WorkerProcessEnded,
                 WorkersNotStarted, NodesAvailable, StopRequested, MeasuredAgain, PlanMade, Tick>;

// ---- effects ------------------------------------------------------------------------------------
// Appends to the journal. If the record must be durable (history/journal.h), it is durable before
// the next effect for which needs_records() holds.
struct Append {
  proto::JournalRecord record;
};
struct Admit {
  std::uint64_t connection = 0;
  WorkerId worker;
};
struct Send {
  Command command;
};
// Closes the worker's stream; no further message of the worker is expected.
struct Disconnect {
  WorkerId worker;
};
// Starts worker processes on this machine.
struct StartWorkers {
  plan::NodeCount nodes;
};
struct EndRemainingWorkers {};  // Ends the processes that Started named.
// Starts a process that measures the certified model of the journal again, without a worker. The
// result is the event MeasuredAgain.
struct MeasureAgain {};
// Makes a plan from the profile (stages/checked_plan.h). This may take a minute, and other events
// must be passed on meanwhile. The result is the event PlanMade.
struct MakePlan {
  plan::Instance instance;
  plan::Profile profile;
  plan::PlanOptions options;
};
struct RemoveCheckpoint {
  std::string folder;
};
struct Log {  // A line for the log: the decision and its reason.
  std::string text;
  bool detail = false;  // Logged only with --verbose.
};
enum class Ending : std::uint8_t {
  kComplete,
  kInterrupted,
  kPaused,  // The user requested the pause (JobConfig::measures_only).
  // A worker found an error that the user must correct; a retry would end the same way.
  kBadInput,
  kFailed,
  kTakenOver,  // A later coordinator leads the run, and has the workers.
};
struct Finish {
  Ending ending = Ending::kComplete;
  std::string reason;
};
using Effect = std::variant<Append, Admit, Send, Disconnect, StartWorkers, EndRemainingWorkers,
                            MeasureAgain, MakePlan, RemoveCheckpoint, Log, Finish>;

// Whether the records before this effect must be durable before it is carried out, because other
// processes may observe it and react to it.
[[nodiscard]] inline bool needs_records(const Effect& effect) {
  return !std::holds_alternative<Append>(effect) && !std::holds_alternative<Log>(effect);
}

}  // namespace surety::orchestrator
