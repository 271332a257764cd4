// Which updates have been applied: the filter in front of whoever applies them.
//
// A message may come twice, late or not at all, and a worker may be restarted under a new
// incarnation while messages of the old one are still under way. Each update is admitted at most
// once. Memory is bounded: per worker the newest incarnation and a window of its newest sequence
// numbers (as in IPsec's anti-replay window, RFC 4303, 3.4.3); what is older than the window is
// refused, since nobody remembers any more whether it was applied.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "base/ids.h"

namespace surety::fabric {

struct UpdateId {
  WorkerId worker;
  std::uint32_t incarnation = 0;  // Of the worker's process; grows with every restart.
  std::uint64_t sequence = 0;     // Of the update, within the incarnation.
  friend auto operator<=>(const UpdateId&, const UpdateId&) = default;
};

enum class Admission {
  kFirst,           // Not seen before: apply it.
  kDuplicate,       // Admitted before.
  kTooOld,          // Older than the window: refused, whether seen or not.
  kOldIncarnation,  // Of a process that has been replaced.
};

[[nodiscard]] const char* name_of(Admission admission);

class ExactlyOnce {
 public:
  // A worker may have this many updates overtake one another before one is refused for its age.
  static constexpr std::uint64_t kWindow = 64;

  // ENSURES: kFirst at most once for an id. O(log workers).
  [[nodiscard]] Admission admit(const UpdateId& id);

 private:
  struct Window {
    std::uint32_t incarnation = 0;
    std::uint64_t newest = 0;    // Highest sequence admitted.
    std::uint64_t admitted = 0;  // Bit i: newest - i was admitted.
  };
  std::map<WorkerId, Window> windows_;  // admit() adds; nobody removes (32 bytes a worker).
};

}  // namespace surety::fabric
