// What the job machine is told, and what it wants done.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "orchestrator/session.h"
#include "plan/types.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// ---- events -------------------------------------------------------------------------------------
struct Started {                        // Once, first.
  std::vector<plan::NodeCount> left{};  // Processes that an earlier coordinator started and that
                                        // still run: they will say hello, or end.
};
struct WorkerHello {
  std::uint64_t connection = 0;
  proto::Hello hello;  // Its node_type is empty or one of the job's.
  bool local = false;  // A process that StartWorkers started, or an earlier coordinator.
  bool again = false;  // It has said hello to this coordinator before.
};
struct WorkerMessage {
  WorkerId worker;
  proto::FromWorker message;
};
struct ConnectionLost {
  WorkerId worker;
  std::string reason;
};
struct WorkerProcessEnded {   // Of those that StartWorkers started.
  std::string what;           // "worker process 2 (pid 812): exit code 4"
  std::uint32_t running = 0;  // That are left.
  std::string type;           // Its node type; empty: the first.
  bool joined = false;        // It had said hello.
};
struct WorkersNotStarted {  // Of those that StartWorkers asked for.
  plan::NodeCount nodes;
  std::string reason;
};
struct NodesAvailable {  // From now on so many of this type may run, in place of what was said
                         // before.
  plan::NodeCount nodes;
};
struct StopRequested {};
struct Tick {};
using Event = std::variant<Started, WorkerHello, WorkerMessage, ConnectionLost, WorkerProcessEnded,
                           WorkersNotStarted, NodesAvailable, StopRequested, Tick>;

// ---- effects ------------------------------------------------------------------------------------
struct Append {  // To the journal; durable before the effects after it are carried out.
  proto::JournalRecord record;
};
struct Admit {
  std::uint64_t connection = 0;
  WorkerId worker;
};
struct Send {
  Command command;
};
struct Disconnect {  // Its stream is ended; nothing more is expected from it.
  WorkerId worker;
};
struct StartWorkers {  // On this machine.
  plan::NodeCount nodes;
};
struct RemoveCheckpoint {
  std::string folder;
};
struct Say {  // A line for the log: what was decided, and why.
  std::string text;
  bool detail = false;  // Of interest only to those who ask for everything (--verbose).
};
enum class Ending : std::uint8_t {
  kComplete,
  kInterrupted,
  kPaused,    // As it was asked to (JobConfig::measures_only).
  kBadInput,  // A worker found what the user must change: going on would end in the same way.
  kFailed,
};
struct Finish {
  Ending ending = Ending::kComplete;
  std::string reason;
};
using Effect =
    std::variant<Append, Admit, Send, Disconnect, StartWorkers, RemoveCheckpoint, Say, Finish>;

}  // namespace surety::orchestrator
