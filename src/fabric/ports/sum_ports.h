// Synchronous sums follow ports: who adds up which part of the vector for all (schedule.h), so that
// a slow port, which carries its own contribution and the result in any case, carries little else.
//
// Of K workers, one that adds up the share s of a vector sends 1 - s of it to the others and s to
// each of them, and receives as much: 1 + (K - 2) s vectors each way. With a port of B vectors a
// second it is through after (1 + (K - 2) s) / B seconds. All are through at once, at the time t,
// with s = (t B - 1) / (K - 2); where a port is so slow that it needs longer for its own, t is its
// time and the others share the rest in proportion to what they could take.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "fabric/ports/port_watch.h"

namespace surety::fabric {

// One share for each port, of what it carries a second; they add up to 1. Two workers or fewer have
// equal ones, since none would change anything. REQUIRES: ports are positive.
[[nodiscard]] std::vector<double> shares_of_sum(const std::vector<double>& ports);

// A worker's port while it takes part in sums, and only then: rests between them say nothing.
class SumWatch {
 public:
  // A sum begins; the port has passed so much. Until something moves nothing is counted: others are
  // waited for, not the port.
  void begin(Time now, const PortBytes& passed);
  // Now and then, and at its end.
  void look(Time now, const PortBytes& passed);
  void end(Time now, const PortBytes& passed);
  // As PortWatch: none before a second of sums.
  [[nodiscard]] std::optional<PortWatch::Seen> seen() const { return watch_.seen(); }

 private:
  PortWatch watch_;
  // A clock that stands still between sums, and what has passed by it: before this sum.
  Duration elapsed_{}, looked_{};
  PortBytes carried_{};
  Time began_{};  // Of this sum.
  PortBytes before_{};
  bool moves_ = false;
};

// What the ports of all workers are known to be, and what follows for the next sum.
class SumPorts {
 public:
  void observe(WorkerId worker, const PortWatch::Seen& seen);
  void forget(WorkerId worker) { ports_.erase(worker); }
  // What a slow port carries; 0: it is as good as any, as far as is known.
  [[nodiscard]] double slow_bytes_per_s(WorkerId worker) const;
  // One a member; empty: nobody's port is slow, equal parts will do.
  [[nodiscard]] std::vector<double> shares(const std::vector<WorkerId>& members) const;

 private:
  struct Port {
    double fastest = 0;  // The most that it was seen to carry in a moment.
    double slow_bytes_per_s = 0;
  };
  [[nodiscard]] double typical() const;
  std::map<WorkerId, Port> ports_;
};

}  // namespace surety::fabric
