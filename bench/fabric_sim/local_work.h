// The steps of a worker that computes while its updates are under way.
//
// With overlap a worker does not wait. It computes up to H more local steps, and the unsent work is
// its next update. This is local SGD whose number of steps depends on the duration of transfers.
#pragma once

#include <cstdint>
#include <utility>

#include "base/check.h"

namespace surety::bench::sim {

class LocalWork {
 public:
  explicit LocalWork(std::uint32_t steps_max) : steps_max_(steps_max) {}

  [[nodiscard]] bool may_compute() const { return unsent_ < steps_max_; }
  // REQUIRES: may_compute().
  void on_step_done() {
    SURETY_CHECK(may_compute());
    ++unsent_;
  }
  // Turns the unsent work into an update and returns its number of steps. REQUIRES: unsent() > 0.
  [[nodiscard]] std::uint32_t seal() {
    SURETY_CHECK(unsent_ > 0);
    return std::exchange(unsent_, 0);
  }
  [[nodiscard]] std::uint32_t unsent() const { return unsent_; }

 private:
  std::uint32_t steps_max_;
  std::uint32_t unsent_ = 0;
};

}  // namespace surety::bench::sim
