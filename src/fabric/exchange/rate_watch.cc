#include "fabric/exchange/rate_watch.h"

#include <algorithm>
#include <utility>

namespace surety::fabric {
namespace {

// Shorter is the network's latency, and smaller what a socket swallows at once.
constexpr Duration kLongEnough = std::chrono::microseconds(1500);
constexpr std::uint64_t kBytesEnough = 16u << 10;

}  // namespace

void RateWatch::begin(Time now, RoundId round, std::map<HostId, std::uint64_t> sends) {
  rounds_.emplace(round, Round{.since = now, .sends = std::move(sends)});
}

void RateWatch::arrived(Time now, RoundId id, HostId from, std::uint64_t bytes) {
  const auto at = rounds_.find(id);
  if (at == rounds_.end()) return;
  Round& round = at->second;
  round.arrived += bytes;
  const Duration took = now - std::max(round.since, free_since_);
  if (took < kLongEnough) return;
  const double seconds = to_seconds(took);
  if (round.arrived >= kBytesEnough) {
    const double rate = static_cast<double>(round.arrived) / seconds;
    seen_.in_bytes_per_s = std::max(seen_.in_bytes_per_s, rate);
  }
  const auto sends = round.sends.find(from);
  if (sends == round.sends.end() || sends->second < kBytesEnough) return;
  double& best = seen_.out_bytes_per_s[from];
  best = std::max(best, static_cast<double>(sends->second) / seconds);
}

void RateWatch::end(Time now, RoundId round) {
  if (rounds_.erase(round) > 0) free_since_ = now;
}

RateWatch::Seen RateWatch::take() { return std::exchange(seen_, {}); }

}  // namespace surety::fabric
