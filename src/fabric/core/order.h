// Which pending updates are worth sending, and in which order they should commit.
//
// A bound on staleness is a deadline in commit positions: an update read at version r may have at
// most tau versions between its reading and its commit, so only so many commits may still stand in
// front of it. Each commit takes one position, so the sets that can all meet their deadlines are
// the independent sets of a matroid (unit jobs with deadlines; Lawler 1976), and the greedy choice
// by value is the best one. What cannot meet its deadline is dropped before a byte of it is sent.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fabric/core/types.h"

namespace surety::fabric {

struct Candidate {
  double transfer_s = 0;   // How long its own transfer takes.
  std::int64_t slack = 0;  // Commits that may stand in front of it; negative: it is too late.
  double value = 0;        // What keeping it is worth; any sign.
};

struct Staleness {
  std::uint64_t bound = 0;         // tau, in versions.
  std::uint64_t version_read = 0;  // Of the model that the update was computed on.
  std::uint64_t version_now = 0;
  double commits_per_s = 0;  // While it travels.
  double transfer_s = 0;
};

// The slack of an update: the bound must hold when it arrives, not when it is asked for.
// REQUIRES: version_read <= version_now.
[[nodiscard]] std::int64_t slack_of(const Staleness& staleness);

// Indexes of candidates, each exactly once, both ascending.
struct Selection {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> dropped;
};

// ENSURES: kept is of the largest number of candidates that can all commit within their slack, and
// of the largest total value among the sets of that number. Ties go to the lower index.
// Greedy over the matroid, free positions by union-find: O(n log n).
[[nodiscard]] Selection select(std::span<const Candidate> candidates);

// The kept ones in order of commit, so that the sum of their times of commit is least.
//
// REQUIRES: kept is ascending and can be ordered within its slacks, as select() ensures.
// ENSURES: the one at position p has slack >= p. Ties: the lower index commits first.
// Smith's backward rule (Smith 1956): of those that may come last, the longest does. O(n log n).
[[nodiscard]] std::vector<std::uint32_t> order(std::span<const Candidate> candidates,
                                               std::span<const std::uint32_t> kept);

// Keeps a rule of dropping from shutting out slow hosts for ever: after so many drops in a row, the
// next update of the host is sent however stale it is.
class DropGuard {
 public:
  // With 0 nothing is ever dropped.
  explicit DropGuard(std::uint32_t consecutive_max) : consecutive_max_(consecutive_max) {}

  [[nodiscard]] bool may_drop(HostId host) const;
  void dropped(HostId host);
  void accepted(HostId host) { in_a_row_.erase(host); }
  void left(HostId host) { in_a_row_.erase(host); }

 private:
  std::uint32_t consecutive_max_;
  std::map<HostId, std::uint32_t> in_a_row_;  // dropped() adds, accepted() and left() remove.
};

}  // namespace surety::fabric
