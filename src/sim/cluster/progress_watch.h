// Checks the progress of a run: in every period of a fixed length, an iteration must be committed
// or the run must end. Otherwise it reports the obstacle to the checkers.
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

  // Begins to require progress.
  void require();

 private:
  EventQueue& queue_;
  Watch& watch_;
  const double period_s_;
  std::function<std::string()> phase_;
};

}  // namespace surety::sim
