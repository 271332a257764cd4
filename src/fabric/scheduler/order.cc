#include "fabric/scheduler/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "base/check.h"

namespace surety::fabric {
namespace {

// The free positions 1..n as a union-find: find(p) is the last free position up to p, or 0.
class FreePositions {
 public:
  explicit FreePositions(std::size_t count) : last_free_(count + 1) {
    std::iota(last_free_.begin(), last_free_.end(), 0u);
  }

  std::uint32_t find(std::uint32_t position) {
    while (last_free_[position] != position) {
      last_free_[position] = last_free_[last_free_[position]];  // This halves the path.
      position = last_free_[position];
    }
    return position;
  }

  void occupy(std::uint32_t position) { last_free_[position] = position - 1; }

 private:
  std::vector<std::uint32_t> last_free_;
};

}  // namespace

std::int64_t slack_of(const Staleness& staleness) {
  SURETY_CHECK(staleness.version_read <= staleness.version_now);
  const auto age = static_cast<double>(staleness.version_now - staleness.version_read);
  const double is_in_flight = staleness.commits_per_s * staleness.transfer_s;
  const double slack = std::floor(static_cast<double>(staleness.bound) - age - is_in_flight);
  return static_cast<std::int64_t>(std::clamp(slack, -1e15, 1e15));
}

Selection select(std::span<const Candidate> candidates) {
  std::vector<std::uint32_t> by_value(candidates.size());
  std::iota(by_value.begin(), by_value.end(), 0u);
  std::stable_sort(by_value.begin(), by_value.end(), [&](std::uint32_t a, std::uint32_t b) {
    return candidates[a].value > candidates[b].value;
  });
  FreePositions free(candidates.size());
  const auto last = static_cast<std::int64_t>(candidates.size());
  Selection selection;
  for (const std::uint32_t index : by_value) {
    const std::int64_t deadline = std::clamp<std::int64_t>(candidates[index].slack, -1, last - 1);
    const std::uint32_t position = free.find(static_cast<std::uint32_t>(deadline + 1));
    if (position > 0) free.occupy(position);
    (position > 0 ? selection.kept : selection.dropped).push_back(index);
  }
  std::sort(selection.kept.begin(), selection.kept.end());
  std::sort(selection.dropped.begin(), selection.dropped.end());
  return selection;
}

std::vector<std::uint32_t> order(std::span<const Candidate> candidates,
                                 std::span<const std::uint32_t> kept) {
  SURETY_CHECK(std::is_sorted(kept.begin(), kept.end()));
  std::vector<std::uint32_t> by_slack(kept.begin(), kept.end());
  std::stable_sort(by_slack.begin(), by_slack.end(), [&](std::uint32_t a, std::uint32_t b) {
    return candidates[a].slack > candidates[b].slack;
  });
  const auto shorter = [&](std::uint32_t a, std::uint32_t b) {
    const double first = candidates[a].transfer_s;
    const double second = candidates[b].transfer_s;
    return first != second ? first < second : a < b;
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(shorter)> may_be_last(
      shorter);
  std::vector<std::uint32_t> sequence(kept.size());
  std::size_t seen = 0;
  for (std::size_t position = kept.size(); position-- > 0;) {
    while (seen < by_slack.size() &&
           candidates[by_slack[seen]].slack >= static_cast<std::int64_t>(position)) {
      may_be_last.push(by_slack[seen++]);
    }
    // Otherwise the kept ones could not all meet their deadlines.
    SURETY_CHECK(!may_be_last.empty());
    sequence[position] = may_be_last.top();
    may_be_last.pop();
  }
  return sequence;
}

bool DropGuard::may_drop(HostId host) const {
  if (!consecutive_max_) return true;
  const auto at = consecutive_.find(host);
  return (at == consecutive_.end() ? 0 : at->second) < *consecutive_max_;
}

void DropGuard::on_dropped(HostId host) {
  SURETY_CHECK(may_drop(host));
  ++consecutive_[host];
}

}  // namespace surety::fabric
