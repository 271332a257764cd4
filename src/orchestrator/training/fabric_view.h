// The trainer's knowledge about the network: decisions of the fabric, for the log, and the part of
// a synchronous sum that each worker should add up.
//
// Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fabric/ports/sum_ports.h"

namespace surety::proto {
class StepDone;
}  // namespace surety::proto

namespace surety::orchestrator {

class FabricView {
 public:
  // Takes a worker's answer to a committed step.
  void observe(WorkerId worker, const proto::StepDone& done);
  void forget(WorkerId worker) { ports_.forget(worker); }
  // Shares of the sum for the next step of these members (Step::shares).
  [[nodiscard]] std::vector<double> shares_of_sum(const std::vector<WorkerId>& members);
  // Remarks since the last call, one line each.
  [[nodiscard]] std::vector<std::string> take_remarks() { return std::exchange(remarks_, {}); }

 private:
  fabric::SumPorts ports_;
  // Whether sums are divided by the measured port rates, instead of in equal parts.
  bool follows_ports_ = false;
  std::vector<std::string> remarks_;
};

}  // namespace surety::orchestrator
