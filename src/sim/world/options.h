// The options and the result of a simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/job/job_machine.h"
#include "sim/faults/faults.h"
#include "sim/learning/learner.h"
#include "sim/network/network.h"

namespace surety::sim {

struct NodeOptions {
  double start_s = 1;  // Seconds from the request for a worker to its Hello.
  // Standard deviation of the logarithm of the speed, between machines.
  double speed_spread = 0.05;
  double noise = 0.03;  // The same between computations on one machine.
  double heartbeat_s = 0.25;
  double leave_patience_s = 25;  // Seconds from the stop signal until a worker leaves in any case.
  // Seconds without data after which a worker considers a connection broken (control_client.cc).
  double keepalive_s = 20;
};

// Faults that are injected `after_s` seconds after the trace has a line that begins with `line`.
struct Trigger {
  std::string line;
  double after_s = 0;
  std::vector<Fault> faults;
};

struct SimOptions {
  orchestrator::JobConfig config;
  Learner learner;
  std::uint64_t seed = 1;
  std::uint32_t nodes = 4;  // Machines for workers; workers that join from elsewhere bring more.
  NetworkOptions network;
  NodeOptions node;
  Faults faults;
  std::vector<Trigger> triggers{};  // Each trigger waits until the one before has fired.
  double restart_s = 2;             // Seconds from the coordinator's end to its next start.
  std::uint32_t resumes_max = 20;   // Resumes after failures of the run; crashes do not count.
  double time_max_s = 1e6;          // The simulation stops here.
  // Longest time without progress after the faults: from one iteration to the next, or to the end.
  // Planning and waiting for workers are included.
  double progress_s_max = 60;
  // For canaries in tests: changes the commands of the coordinator, as a broken rule would.
  std::function<void(WorkerId, proto::ToWorker&)> rewrite{};
};

struct SimResult {
  std::optional<orchestrator::Finish> finish;  // Absent if the run did not end.
  orchestrator::RunState state;
  // Violation of an invariant, or the obstacle to progress, if there is one.
  std::optional<std::string> violation;
  std::uint64_t trace = 0;
  std::uint64_t events = 0;
  std::uint64_t iterations = 0;
  double seconds = 0;  // The unit is simulated seconds.
  std::uint32_t faults = 0;
  std::uint32_t restarts = 0;
  std::uint32_t processes = 0;    // Worker processes that were started.
  std::uint64_t chunks_read = 0;  // Chunks that they read to train on.
};

}  // namespace surety::sim
