// A filter that admits each update at most once, in front of the code that applies updates.
//
// A message may come twice, late or not at all, and a worker may restart under a new incarnation
// while messages of the old one are still under way. Memory is bounded: for each worker the filter
// keeps the newest incarnation and a window of its newest sequence numbers (as in IPsec's
// anti-replay window, RFC 4303, 3.4.3). An update older than the window is refused, because it is
// no longer known whether it was applied.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "base/ids.h"

namespace surety::fabric {

struct UpdateId {
  WorkerId worker;
  std::uint32_t incarnation = 0;  // Number of the worker's process; it grows with every restart.
  std::uint64_t sequence = 0;     // Number of the update within the incarnation.
  friend auto operator<=>(const UpdateId&, const UpdateId&) = default;
};

enum class Admission {
  kFirst,           // Not seen before: the caller applies it.
  kDuplicate,       // Admitted before: the caller drops it.
  kTooOld,          // Older than the window: refused, whether it was seen or not.
  kOldIncarnation,  // Sent by a process that has been replaced by a newer one.
};

class ExactlyOnce {
 public:
  // Updates of one worker may arrive out of order by this many before the oldest is refused.
  static constexpr std::uint64_t kWindow = 64;

  // ENSURES: returns kFirst at most once for each id. O(log workers).
  [[nodiscard]] Admission admit(const UpdateId& id);

 private:
  struct Window {
    std::uint32_t incarnation = 0;
    std::uint64_t newest = 0;    // The highest sequence number admitted.
    std::uint64_t admitted = 0;  // Bit i is set if sequence number `newest - i` was admitted.
  };
  // admit() adds; entries are never removed (32 bytes a worker).
  std::map<WorkerId, Window> windows_;
};

}  // namespace surety::fabric
