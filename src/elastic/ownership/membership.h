// Tracks the workers of a job: joins, departures, and liveness by heartbeats.
//
// A worker process that returns is a new incarnation with a new id; ids are never reused. If a
// process is stopped or the network is cut silently, the connection is never closed. Therefore a
// worker that is silent for much longer than its earlier gaps is declared dead. If the suspicion is
// wrong, the worker loses only its tentative work, and joins again.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace surety::elastic {

struct LivenessOptions {
  // No worker is suspected earlier: four heartbeats may be late.
  Duration silence_min = std::chrono::seconds(1);
  // Factor on the largest recent gap between messages; at least 1.
  double silence_factor = 4;
  // Gaps are forgotten between this age and twice this age.
  Duration memory = std::chrono::seconds(15);
  // Lower bound of the allowed silence for a worker whose last message came less than this time
  // after its join, because its gaps are not known yet.
  Duration silence_unknown = std::chrono::seconds(4);
  // Interval between calls of tick(). If three times this time passes without a call, the
  // coordinator itself was suspended, and that time does not count as silence of the workers.
  Duration tick_period = std::chrono::milliseconds(250);
};

struct Departure {
  WorkerId worker;
  std::string reason;  // "it has sent nothing for 1.1s, and at most 1s is allowed"
};

class Membership {
 public:
  // `last`: the last id that was assigned before, for a coordinator that restarts.
  explicit Membership(LivenessOptions options, std::uint32_t last = 0);

  // Returns a new id, one more than the last; the first is 1.
  [[nodiscard]] WorkerId join(Time now);
  // A message of any kind has arrived. It is ignored if the worker is not present, or if the time
  // is before that of the last message.
  void on_message(WorkerId worker, Time now);
  // The worker has left or its connection is lost. This call is not needed for workers that tick()
  // returned.
  void on_gone(WorkerId worker);
  // Returns the workers that have been silent for their bound or longer, in ascending order. They
  // are no longer present.
  [[nodiscard]] std::vector<Departure> tick(Time now);
  // Time when tick() next reports a worker if no message comes until then; nullopt if no worker is
  // present.
  [[nodiscard]] std::optional<Time> deadline() const;

  [[nodiscard]] std::vector<WorkerId> present() const;  // Ascending.
  [[nodiscard]] bool is_present(WorkerId worker) const;
  // The bound is max(silence_min or silence_unknown, silence_factor * the largest remembered gap).
  // REQUIRES: is_present(worker).
  [[nodiscard]] Duration silence_bound(WorkerId worker) const;

 private:
  struct Member {
    Time joined;
    Time last_message;
    // The largest gaps in the period of `memory` that began at that time, and in the period before.
    Time period_began;
    Duration largest_gap{0};
    Duration largest_gap_before{0};
  };
  void advance_clock(Time now);
  void remember(Member& member, Time now) const;

  LivenessOptions options_;
  std::map<WorkerId, Member> members_;
  std::optional<Time> last_call_;  // Time of the latest join, message or tick.
  std::uint32_t last_ = 0;
};

}  // namespace surety::elastic
