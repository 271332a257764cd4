// The lease of one candidate (leadership.h) by the candidate's own clock: the time until which it
// is certainly valid, the time of its renewal, and whether it must be dropped.
//
//   none -> held -> ended -> none
//
// A lease that has ended does not belong to this process any more, but the server may still regard
// it as valid. It is dropped then, so that the next leader need not wait.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace surety::orchestrator {

class Lease {
 public:
  // It is renewed every `keep_every`. `clock_error`: relative to the shorter of two measurements of
  // the same time.
  Lease(Duration keep_every, double clock_error)
      : keep_every_(keep_every), clock_error_(clock_error) {}

  // The server granted the lease for this time, which counts from before the request was sent. If
  // the server answers with the number 0, it has granted none. REQUIRES: the lease is not held.
  void grant(std::int64_t id, Duration ttl, Time requested_at);
  // The server renewed the lease. Its end never becomes earlier. REQUIRES: the lease is held.
  void extend(Duration ttl, Time requested_at);
  // The lease does not belong to this process any more. Does nothing if it is not held.
  void end();
  // The server does not have the lease any more, so it need not be dropped. REQUIRES: the lease is
  // held.
  void vanish();

  [[nodiscard]] std::optional<std::int64_t> id() const { return id_; }  // None if it is not held.
  [[nodiscard]] bool is_held() const { return id_.has_value(); }
  // Whether the lease is held and its time is over.
  [[nodiscard]] bool has_expired(Time now) const { return is_held() && now >= until_; }
  [[nodiscard]] Time until() const { return until_; }  // Time::min() if it is not held.
  // When the next renewal is due. REQUIRES: it is held.
  [[nodiscard]] Time keep_at() const { return keep_at_; }
  // The lease that has ended and must be dropped; it is returned once.
  [[nodiscard]] std::optional<std::int64_t> take_ended();

 private:
  Duration keep_every_;
  double clock_error_;
  std::optional<std::int64_t> id_;
  Time until_ = Time::min();
  Time keep_at_;
  std::optional<std::int64_t> ended_;
};

}  // namespace surety::orchestrator
