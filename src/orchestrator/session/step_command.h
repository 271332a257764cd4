// The command to compute one iteration, and the weights of the members in its sum.
//
// Pure functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orchestrator/session/session_spec.h"
#include "orchestrator/session/step_work.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

// The facts that a step depends on, in addition to its session and its work.
struct StepFacts {
  std::uint64_t iteration = 0;
  std::uint32_t pass = 0;
  std::uint64_t pass_samples = 0;         // Samples of a whole pass.
  double pass_done = 0;                   // Share of them that is done before the step.
  std::vector<proto::Peer> members{};     // Ascending.
  std::vector<double> shares{};           // The value of Step::shares.
  double rate = 1;                        // Factor of the learning rate.
  std::optional<double> compute_s_max{};  // The value of Step::compute_s_max.
  bool is_synchronous = false;            // Workers wait for each other in any mode.
};

// Work for all members, without the items of each. REQUIRES: only members have work.
[[nodiscard]] proto::Step step_of(const SessionSpec& spec, const StepFacts& facts,
                                  const WorkByWorker& work);
// With CoCoA: a step without work, in which the model becomes the sum of the members' parts.
[[nodiscard]] proto::Step sum_again(const SessionSpec& spec, const StepFacts& facts);

}  // namespace surety::orchestrator
