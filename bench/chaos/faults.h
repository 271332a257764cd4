// What happens to a cluster under chaos, and when: drawn from a seed, before anything is done.
//
// Pure: no clock, no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace surety::bench {

enum class FaultKind : std::uint8_t {
  kKillWorker,
  kStopWorker,  // SIGSTOP, and SIGCONT later.
  kAskWorker,   // SIGTERM: it leaves politely.
  kCutWorker,   // Its link is dead, without a word to anybody, and lives again later.
  kKillCoordinator,
  kStopCoordinator,
  kCutCoordinator,
  kFillDisk,  // That the run's folder is on; freed again later.
  kResume,    // No fault: the next coordinator is started.
};
inline constexpr std::size_t kFaultKinds = 8;  // That are drawn.

[[nodiscard]] std::string_view name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kKillWorker;
  double pause_s = 0;        // Until the next.
  double lasts_s = 0;        // Until it is undone, or what was killed is started again.
  std::uint64_t target = 0;  // Any number; who it is, is known when it happens.
};

// What this machine lets us do.
struct Means {
  bool links = false;  // Cut links.
  bool disk = false;   // Fill the disk.
};

enum class Rhythm : std::uint8_t {
  kOverlapping,  // Faults come while the one before is still being mended; most are short.
  kApart,        // One after the other, each long enough to be noticed and mended long before the
                 // next: how long it takes to recover from one. All kinds are equally frequent.
};

class Faults {
 public:
  // With kOverlapping every seed has kinds that are frequent and kinds that are rare, so that each
  // is tried alone as well as with others; a coordinator is lost now and then whatever the seed.
  Faults(std::uint64_t seed, const Means& means, Rhythm rhythm = Rhythm::kOverlapping);
  // From a run's first pass to its first fault. With kApart workers are known by then: how often
  // they are heard.
  [[nodiscard]] double first_s() const;
  [[nodiscard]] Fault next();

 private:
  Random random_;
  Rhythm rhythm_;
  std::array<double, kFaultKinds> weights_{};
};

}  // namespace surety::bench
