// Adapts synchronous sums to port speeds: it chooses the part of the vector that each worker adds
// up (fabric/allreduce/schedule.h), so that a slow port carries little more than its own
// contribution and the result, which it must carry in any case.
//
// With K workers, a worker that adds up the share s of a vector sends 1 - s of it to the others and
// s to each of them, and receives the same amount: 1 + (K - 2) s vectors in each direction. A port
// of B vectors a second needs (1 + (K - 2) s) / B seconds. All workers finish at the same time t
// with s = (t B - 1) / (K - 2). If a port is so slow that it needs longer for its own vector, t is
// its time, and the others divide the rest in proportion to their free capacity.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "fabric/ports/port_watch.h"

namespace surety::fabric {

// Returns one share for each port; they sum to 1. `ports` are rates in any common unit. For two
// workers or fewer the shares are equal, because other shares would not be faster. REQUIRES: all
// rates are positive.
[[nodiscard]] std::vector<double> shares_of_sum(const std::vector<double>& ports);

// Measures a worker's port only while it takes part in sums, because pauses between sums show
// nothing about its rate.
class SumWatch {
 public:
  // A sum begins; `passed` is the port's counter. Time counts only after data move, because before
  // that the worker waits for other workers and not for the port.
  void begin(Time now, const PortBytes& passed);
  // Call it from time to time during the sum.
  void add_sample(Time now, const PortBytes& passed);
  void end(Time now, const PortBytes& passed);
  // Absent until the sums have lasted a second, as in PortWatch.
  [[nodiscard]] std::optional<PortWatch::Rates> rates() const { return watch_.rates(); }

 private:
  PortWatch watch_;
  // A clock that stops between sums, its value at the last sample, and the bytes carried before
  // this sum.
  Duration elapsed_{};
  Duration sampled_{};
  PortBytes carried_{};
  Time began_{};  // Start of this sum.
  PortBytes before_{};
  bool is_moving_ = false;
};

// The port rates of all workers as far as they are known, and the shares of the next sum.
class SumPorts {
 public:
  void observe(WorkerId worker, const PortWatch::Rates& seen);
  void forget(WorkerId worker) { ports_.erase(worker); }
  // The rate that is used for the shares: that of the port if it is known to be slow, otherwise the
  // typical one.
  [[nodiscard]] double bytes_per_s(WorkerId worker) const;
  // One share for each member; empty means that no port is slow and equal parts are best.
  [[nodiscard]] std::vector<double> shares(const std::vector<WorkerId>& members) const;

 private:
  struct Port {
    double fastest = 0;  // The highest rate that was ever measured.
    std::optional<double> slow_bytes_per_s{};
  };
  [[nodiscard]] double typical() const;
  [[nodiscard]] std::optional<double> slow_bytes_per_s(WorkerId worker) const;
  std::map<WorkerId, Port> ports_;
};

}  // namespace surety::fabric
