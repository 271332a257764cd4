// Starts and releases workers until the run has the wanted ones. Lost workers are replaced: those
// that the plan names, and, without a plan, those that had a place on this machine (places.h).
//
// Pure: no clock, no I/O.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/ledger/job_config.h"
#include "orchestrator/ledger/job_events.h"
#include "orchestrator/ledger/ledger.h"
#include "orchestrator/workforce/node_pool.h"
#include "orchestrator/workforce/places.h"
#include "orchestrator/workforce/workforce.h"
#include "plan/types.h"

namespace surety::orchestrator {

// The workers that the run wants now.
struct Wanted {
  NodeTarget target;
  // The reason for which it wants fewer than before; none means that the current block of the plan,
  // or the current variant of the pool, needs no more.
  std::optional<std::string> why_fewer;
  // Whether the first workers are being gathered: then lost workers are replaced, and none is
  // released.
  bool gathers = false;
};

class Staffing {
 public:
  // `wanted` returns nullopt if no worker must be replaced or released, because the run has ended.
  // The references must outlive this object.
  Staffing(const JobConfig& config, Ledger& ledger, NodePool& pool, Places& places,
           Workforce& workforce, std::function<std::optional<Wanted>()> wanted);

  // Takes over processes of an earlier coordinator. At most the allowed number of them get a place.
  // Processes that do not find this coordinator are ended. Returns whether any of them is expected
  // to join.
  bool adopt(const Started& event);

  // Starts the workers that this target lacks.
  void start(const NodeTarget& target);
  // Releases workers that are not wanted, to save their cost, and starts wanted ones if possible.
  void fit();
  // The number of nodes that may run has changed. A run that wants any number of nodes takes all of
  // them.
  void set_available(const plan::NodeCount& nodes);
  void on_not_started(const WorkersNotStarted& event);
  // Starts the workers whose pause before a restart is over.
  void tick();

 private:
  [[nodiscard]] bool may_start(const NodeTarget& target) const;
  void log_given_up();
  [[nodiscard]] std::vector<plan::NodeCount> starts(const NodeTarget& target,
                                                    const NodeChange& change);
  void request(const plan::NodeCount& nodes);
  void log_lacking(const std::vector<plan::NodeCount>& lacking);

  const JobConfig& config_;
  Ledger& ledger_;
  NodePool& pool_;
  Places& places_;
  Workforce& workforce_;
  const std::function<std::optional<Wanted>()> wanted_;
  std::vector<plan::NodeCount> lacking_;  // The shortage of nodes that was logged last.
};

}  // namespace surety::orchestrator
