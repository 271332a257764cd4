// What the trainer knows of the network under its steps: what the fabric has decided by itself, for
// the log, and which parts of a synchronous sum each worker had better add up.
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
  // A worker's answer to a step that is committed.
  void observe(WorkerId worker, const proto::StepDone& done);
  void forget(WorkerId worker) { ports_.forget(worker); }
  // For the next step of these: Step::shares.
  [[nodiscard]] std::vector<double> shares_of_sum(const std::vector<WorkerId>& members);
  // Since the last call; one line each.
  [[nodiscard]] std::vector<std::string> take_remarks() { return std::exchange(remarks_, {}); }

 private:
  fabric::SumPorts ports_;
  bool follows_ports_ = false;  // The sums do; else they are added up in equal parts.
  std::vector<std::string> remarks_;
};

}  // namespace surety::orchestrator
