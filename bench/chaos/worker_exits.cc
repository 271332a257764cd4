#include "worker_exits.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace surety::bench {
namespace {

// A coordinator that ends in order sends a Bye at about the time at which it ends.
constexpr auto kByeTakes = std::chrono::seconds(10);

}  // namespace

void WorkerExits::update(std::set<pid_t> found, Time now) {
  for (const pid_t pid : alive_) {
    if (found.contains(pid)) continue;
    if (sight_.exists(pid)) {
      found.insert(pid);
    } else if (expected_.erase(pid) == 0 && !sight_.is_over()) {
      exits_.push_back({pid, now, sight_.last_lines()});
    }
  }
  alive_ = std::move(found);
}

std::vector<UnexpectedExit> WorkerExits::unexpected(const std::set<pid_t>& joined) const {
  std::vector<UnexpectedExit> found;
  for (const UnexpectedExit& one : exits_) {
    const bool was_told = std::ranges::any_of(
        byes_, [&](Time bye) { return one.at > bye - kByeTakes && one.at < bye + kByeTakes; });
    if (!was_told && joined.contains(one.pid)) found.push_back(one);
  }
  return found;
}

}  // namespace surety::bench
