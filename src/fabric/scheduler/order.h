// Chooses which pending updates are worth sending, and in which order they should commit.
//
// A bound on staleness is a deadline in commit positions. An update that read version r may have at
// most tau versions between its reading and its commit, so only a limited number of commits may
// still come before it. Each commit takes one position. The sets of updates that can all meet their
// deadlines are therefore the independent sets of a matroid (unit jobs with deadlines; Lawler
// 1976), and the greedy choice by value is optimal. An update that cannot meet its deadline is
// dropped before any byte of it is sent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fabric/network/types.h"

namespace surety::fabric {

struct Candidate {
  double transfer_s = 0;  // Duration of its own transfer, in seconds.
  // Number of commits that may come before it; negative means that it is too late.
  std::int64_t slack = 0;
  double value = 0;  // Value of keeping it; may have any sign.
};

struct Staleness {
  std::uint64_t bound = 0;  // The bound tau, in versions.
  // Version of the model that the update was computed from.
  std::uint64_t version_read = 0;
  std::uint64_t version_now = 0;
  double commits_per_s = 0;  // Rate of commits while the update travels.
  double transfer_s = 0;
};

// The slack of an update. The bound must hold when the update arrives, not when it is requested.
// REQUIRES: version_read <= version_now.
[[nodiscard]] std::int64_t slack_of(const Staleness& staleness);

// Indices of candidates, each exactly once; both lists are ascending.
struct Selection {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> dropped;
};

// ENSURES: `kept` has the largest number of candidates that can all commit within their slack, and
// the largest total value among the sets of that size. Ties go to the lower index.
// Greedy over the matroid, with free positions in a union-find: O(n log n).
[[nodiscard]] Selection select(std::span<const Candidate> candidates);

// Sorts the kept candidates so that the sum of their commit times is least.
//
// REQUIRES: kept is ascending and can be ordered within its slacks, as select() ensures.
// ENSURES: the candidate at position p has slack >= p. Ties: the lower index commits first.
// Smith's backward rule (Smith 1956): of the candidates that may come last, the longest does.
// O(n log n).
[[nodiscard]] std::vector<std::uint32_t> order(std::span<const Candidate> candidates,
                                               std::span<const std::uint32_t> kept);

// Prevents a dropping rule from excluding slow hosts for ever. After `consecutive_max` drops in a
// row, the host's next update is sent, however stale it is.
class DropGuard {
 public:
  // Without a maximum every update may be dropped.
  explicit DropGuard(std::optional<std::uint32_t> consecutive_max)
      : consecutive_max_(consecutive_max) {}

  [[nodiscard]] bool may_drop(HostId host) const;
  void on_dropped(HostId host);
  void on_accepted(HostId host) { consecutive_.erase(host); }
  void on_left(HostId host) { consecutive_.erase(host); }

 private:
  std::optional<std::uint32_t> consecutive_max_;
  // Drops in a row; on_dropped() adds, on_accepted() and on_left() remove.
  std::map<HostId, std::uint32_t> consecutive_;
};

}  // namespace surety::fabric
