// How fast ports are, as one host sees it from what comes in.
//
// Of a round a host knows how much everybody sends in it, and when the part for itself has come: by
// then the sender's port has carried it all, or was held up by others on the way. So each arrival
// is a lower bound of how fast the sender's port is, and what had come until then is one of how
// fast our own is. The largest of many bounds, from several rounds and as different hosts saw it,
// comes near.
#pragma once

#include <cstdint>
#include <map>

#include "base/time.h"
#include "fabric/core/events.h"

namespace surety::fabric {

class RateWatch {
 public:
  // A round begins, in which each of these hosts sends so many bytes altogether.
  void begin(Time now, RoundId round, std::map<HostId, std::uint64_t> sends);
  // Bytes for us. What comes before its round began here is not counted.
  void arrived(Time now, RoundId round, HostId from, std::uint64_t bytes);
  void end(Time now, RoundId round);

  struct Seen {
    double in_bytes_per_s = 0;                 // Of our port; 0: nothing was seen.
    std::map<HostId, double> out_bytes_per_s;  // Of others'.
  };
  // Since the last call.
  [[nodiscard]] Seen take();

 private:
  struct Round {
    Time since{};
    std::map<HostId, std::uint64_t> sends;
    std::uint64_t arrived = 0;
  };
  std::map<RoundId, Round> rounds_;
  Time free_since_{};  // When a round ended here last: until then it took part of the ports.
  Seen seen_;
};

}  // namespace surety::fabric
