// What is simulated, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/job_machine.h"
#include "sim/faults.h"
#include "sim/learner.h"
#include "sim/network.h"

namespace surety::sim {

struct NodeOptions {
  double start_s = 1;          // From asking for a worker to its hello.
  double speed_spread = 0.05;  // Standard deviation of the logarithm, between machines.
  double noise = 0.03;         // The same, between two pieces of work on a machine.
  double heartbeat_s = 0.25;
  double leave_patience_s = 25;  // From being told to go to going in any case.
  // Until a worker takes a connection over which nothing arrives for broken (control_client.cc).
  double keepalive_s = 20;
};

// Faults that come so long after a line of the time line that begins like this.
struct Trigger {
  std::string line;
  double after_s = 0;
  std::vector<Fault> faults;
};

struct SimOptions {
  orchestrator::JobConfig config;
  Learner learner;
  std::uint64_t seed = 1;
  std::uint32_t nodes = 4;  // Machines for workers; more come with those that join.
  NetworkOptions network;
  NodeOptions node;
  Faults faults;
  std::vector<Trigger> triggers{};  // Each waits until the one before it has had its line.
  double restart_s = 2;             // From the coordinator's end to its next start.
  std::uint32_t resumes_max = 20;   // After failures of the run; crashes do not count.
  double time_max_s = 1e6;          // The run is given up.
  double progress_s_max = 60;       // After the faults: from one iteration to the next, or to
                                    // the end; planning and waiting for workers included.
  bool checks = true;
  // Canaries, in tests: a coordinator with a broken rule says something else.
  std::function<void(WorkerId, proto::ToWorker&)> rewrite{};
};

struct SimResult {
  std::optional<orchestrator::Finish> finish;  // None: given up.
  orchestrator::RunState state;
  std::string violation;  // Of an invariant, or the obstacle to progress; empty: none.
  std::uint64_t trace = 0;
  std::uint64_t events = 0, iterations = 0;
  double seconds = 0;  // Simulated.
  std::uint32_t faults = 0, restarts = 0;
  std::uint32_t processes = 0;    // Worker processes that were started.
  std::uint64_t chunks_read = 0;  // By them, to train on.
};

}  // namespace surety::sim
