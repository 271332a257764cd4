// Who is in the job: joins, polite leaves, deaths, and liveness by heartbeats.
//
// A worker process that comes back is a new incarnation with a new id; ids are never reused. A
// stopped process or a silent cut never closes its connection, so a worker that has not been heard
// from for longer than its own history explains is declared dead; a wrong suspicion costs its
// tentative work and a re-join, nothing else.
//
//   Joined -> Leaving -> Gone;  Joined or Leaving -> Gone (connection lost, or silent too long)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace surety::elastic {

struct LivenessOptions {
  Duration silence_min = std::chrono::seconds(4);  // Never suspect earlier: a busy machine delays
                                                   // heartbeats of healthy workers by this much.
  double silence_factor = 8;  // Times the largest gap between heartbeats seen lately; at least 1.
};

struct Departure {
  WorkerId worker;
  std::string reason;  // "connection lost", "silent for 6.1s (bound 4s)", "left"
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
  // max(silence_min, silence_factor * largest of the last 16 gaps). REQUIRES: is_present(worker).
  [[nodiscard]] Duration silence_bound(WorkerId worker) const;

 private:
  struct Member {
    Time heard;
    bool leaving = false;
    std::vector<Duration> gaps;  // The last few; heard() adds, the oldest goes.
  };
  LivenessOptions options_;
  std::map<WorkerId, Member> members_;
  std::uint32_t last_ = 0;
};

}  // namespace surety::elastic
