#include "fabric/exchange/rate_watch.h"

#include <algorithm>
#include <utility>

namespace surety::fabric {
namespace {

// Shorter is what messages wait for one another, and smaller what a socket swallows at once. A
// network that is quicker needs no estimates.
constexpr Duration kLongEnough = std::chrono::milliseconds(3);
constexpr std::uint64_t kBytesEnough = 16u << 10;

void raise(double& best, std::uint64_t bytes, double seconds) {
  best = std::max(best, static_cast<double>(bytes) / seconds);
}

}  // namespace

void RateWatch::begin(Time now, RoundId round, std::map<HostId, std::uint64_t> sends,
                      std::uint64_t expected) {
  rounds_.emplace(round, Round{.since = now, .sends = std::move(sends), .expected = expected});
}

void RateWatch::arrived(Time now, RoundId id, HostId from, std::uint64_t bytes) {
  const auto at = rounds_.find(id);
  if (at == rounds_.end()) return;
  Round& round = at->second;
  round.arrived += bytes;
  const Duration took = now - std::max(round.since, free_since_);
  const bool half = !round.half && 2 * round.arrived >= round.expected;
  round.half = round.half || half;
  if (took < kLongEnough) return;
  const double seconds = to_seconds(took);
  if (half && round.arrived >= kBytesEnough) {
    raise(seen_.in_bytes_per_s, round.arrived, seconds);
  }
  const auto sends = round.sends.find(from);
  if (sends == round.sends.end() || sends->second < kBytesEnough) return;
  raise(seen_.out_bytes_per_s[from], sends->second, seconds);
}

void RateWatch::end(Time now, RoundId round) {
  if (rounds_.erase(round) > 0) free_since_ = now;
}

RateWatch::Seen RateWatch::take() { return std::exchange(seen_, {}); }

}  // namespace surety::fabric
