// The lease of one candidate (leadership.h), as its own clock sees it: until when it is certainly
// ours, when it is to be renewed, and whether it is to be dropped.
//
//   none -> held -> ended -> none
//
// A lease that has ended is not ours any more, but the server may still count it. It is dropped
// then, so that the next leader need not wait.
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

  // The server granted it for this time, which counts from before the request was sent. A server
  // that answers with the number 0 granted none. REQUIRES: it is not held.
  void grant(std::int64_t id, Duration ttl, Time requested_at);
  // The server renewed it. Its end never comes nearer. REQUIRES: it is held.
  void extend(Duration ttl, Time requested_at);
  // It is ours no longer. Does nothing if it is not held.
  void end();
  // The server does not count it any more, so there is nothing to drop. REQUIRES: it is held.
  void vanish();

  [[nodiscard]] std::optional<std::int64_t> id() const { return id_; }  // None if it is not held.
  [[nodiscard]] bool is_held() const { return id_.has_value(); }
  // It is held, and its time is over.
  [[nodiscard]] bool has_expired(Time now) const { return is_held() && now >= until_; }
  [[nodiscard]] Time until() const { return until_; }  // Time::min() if it is not held.
  // When the next renewal is due. REQUIRES: it is held.
  [[nodiscard]] Time keep_at() const { return keep_at_; }
  // The lease that has ended and is to be dropped; it is returned once.
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
