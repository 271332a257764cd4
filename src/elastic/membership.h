// Who is in the job: joins, polite leaves, deaths, and liveness by heartbeats.
//
// A worker process that comes back is a new incarnation with a new id; ids are never reused. A
// stopped process or a silent cut never closes its connection, so a worker that has not been heard
// from for longer than its own history explains is declared dead; a wrong suspicion costs its
// tentative work and a re-join, nothing else.
//
//   Joined -> Leaving -> Gone;  Joined or Leaving -> Gone (connection lost, or silent too long)
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
  // Nobody is suspected earlier: four heartbeats may be late.
  Duration silence_min = std::chrono::seconds(1);
  double silence_factor = 4;  // Times the largest gap between messages seen lately; at least 1.
  // Gaps are forgotten when they are this old, or twice as old at most.
  Duration memory = std::chrono::seconds(15);
  // The least for a worker that has not been heard for that long: its gaps are not known yet.
  Duration silence_unknown = std::chrono::seconds(4);
  // How often tick() is called. Where it comes later than three times that the caller slept, and
  // what it did not hear meanwhile is no silence of the workers'.
  Duration tick_period = std::chrono::milliseconds(250);
};

struct Departure {
  WorkerId worker;
  std::string reason;  // "connection lost", "silent for 1.1s (bound 1s)", "left"
};

class Membership {
 public:
  // `last`: the last id given out before, for a coordinator that starts again.
  explicit Membership(LivenessOptions options, std::uint32_t last = 0);

  [[nodiscard]] WorkerId join(Time now);  // A new id, one more than the last; the first is 1.
  // Any message counts. Ignored: who is not present, and times before the last one.
  void heard(WorkerId worker, Time now);
  void leaving(WorkerId worker);  // Said so; present until gone().
  void gone(WorkerId worker);     // Left, or connection lost; after tick() there is no need.
  // Those silent for their bound or longer, ascending; they are Gone.
  [[nodiscard]] std::vector<Departure> tick(Time now);
  // When tick() next reports someone, should nobody be heard until then; none: nobody is present.
  [[nodiscard]] std::optional<Time> deadline() const;

  [[nodiscard]] std::vector<WorkerId> present() const;  // Joined or Leaving, ascending.
  [[nodiscard]] bool is_present(WorkerId worker) const;
  [[nodiscard]] bool is_leaving(WorkerId worker) const;
  // max(silence_min or silence_unknown, silence_factor * the largest gap that is remembered).
  // REQUIRES: is_present(worker).
  [[nodiscard]] Duration silence_bound(WorkerId worker) const;

 private:
  struct Member {
    Time joined, heard;
    bool leaving = false;
    // Of the period of `memory` that began then, and of the one before.
    Time period_began;
    Duration largest_gap{0}, largest_gap_before{0};
  };
  void attend(Time now);
  void remember(Member& member, Time now) const;

  LivenessOptions options_;
  std::map<WorkerId, Member> members_;
  std::optional<Time> attended_;  // The latest join, message or tick.
  std::uint32_t last_ = 0;
};

}  // namespace surety::elastic
