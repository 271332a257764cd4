// How fast ports are, as one host sees it from what comes in.
//
// Of a round a host knows how much everybody sends in it. A sender serves all receivers alike, so
// when its piece for us has come, about all of it has left; and when half of what comes to us has
// come, our own port has carried that, whatever a slow sender does with the rest. Messages wait for
// one another and rounds share ports, so that most of this is too low: the best of several rounds
// counts. Of a sender the scheduler takes the middle of what its receivers saw, since the first to
// hear from it sees too much, and one that is slow itself too little.
#pragma once

#include <cstdint>
#include <map>

#include "base/time.h"
#include "fabric/core/events.h"

namespace surety::fabric {

class RateWatch {
 public:
  // A round begins, in which each of these hosts sends so many bytes altogether, and we are to hear
  // so many.
  void begin(Time now, RoundId round, std::map<HostId, std::uint64_t> sends,
             std::uint64_t expected);
  // Bytes for us. What comes before its round began here is not counted.
  void arrived(Time now, RoundId round, HostId from, std::uint64_t bytes);
  void end(Time now, RoundId round);

  struct Seen {
    double in_bytes_per_s = 0;                 // Of our port; 0: nothing was seen.
    std::map<HostId, double> out_bytes_per_s;  // Of others'.
  };
  // The best since the last call.
  [[nodiscard]] Seen take();

 private:
  struct Round {
    Time since{};
    std::map<HostId, std::uint64_t> sends;
    std::uint64_t expected = 0;  // Here.
    std::uint64_t arrived = 0;
    bool half = false;
  };
  std::map<RoundId, Round> rounds_;
  Time free_since_{};  // When a round ended here last: until then it took part of the ports.
  Seen seen_;
};

}  // namespace surety::fabric
