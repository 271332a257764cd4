#include "orchestrator/leadership/lease.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"

namespace surety::orchestrator {

void Lease::grant(std::int64_t id, Duration ttl, Time requested_at) {
  SURETY_CHECK(!is_held());
  if (id == 0) return;
  id_ = id;
  extend(ttl, requested_at);
}

void Lease::extend(Duration ttl, Time requested_at) {
  SURETY_CHECK(is_held());
  const Duration ours = std::chrono::duration_cast<Duration>(ttl * (1 - clock_error_));
  until_ = std::max(until_, requested_at + ours);
  keep_at_ = requested_at + keep_every_;
}

void Lease::end() {
  if (!is_held()) return;
  ended_ = std::exchange(id_, std::nullopt);
  until_ = Time::min();
}

void Lease::vanish() {
  SURETY_CHECK(is_held());
  end();
  ended_.reset();
}

std::optional<std::int64_t> Lease::take_ended() { return std::exchange(ended_, std::nullopt); }

}  // namespace surety::orchestrator
