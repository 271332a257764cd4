// Requires progress of a run: once it is required, an iteration must be committed, or the run must
// end, in every period of a fixed length. Otherwise the checkers get the obstacle.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sim/network/event_queue.h"
#include "sim/world/watch.h"

namespace surety::sim {

class ProgressWatch {
 public:
  // `phase`: what the run is doing, for the report. The references must outlive this object.
  ProgressWatch(EventQueue& queue, Watch& watch, double period_s,
                std::function<std::string()> phase)
      : queue_(queue), watch_(watch), period_s_(period_s), phase_(std::move(phase)) {}

  // From now on progress is required.
  void require();

 private:
  EventQueue& queue_;
  Watch& watch_;
  const double period_s_;
  std::function<std::string()> phase_;
};

}  // namespace surety::sim
