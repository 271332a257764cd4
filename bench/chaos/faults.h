// The faults of a cluster under chaos, with their times. A seed determines them beforehand.
//
// This code is pure: no clock, no I/O.
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
  kStopWorker,       // The worker gets SIGSTOP, and SIGCONT later.
  kTerminateWorker,  // The worker gets SIGTERM: a graceful leave.
  kCutWorker,        // The worker's link drops everything without notice, and is restored later.
  kKillCoordinator,
  kStopCoordinator,
  kCutCoordinator,
  kFillDisk,  // The disk with the run's folder is filled, and freed later.
  kResume,    // This is not a fault: the next coordinator is started.
};
inline constexpr std::size_t kFaultKinds = 8;  // Number of the kinds that are drawn.

[[nodiscard]] std::string_view name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kKillWorker;
  double pause_s = 0;  // Seconds until the next fault.
  // Seconds until it is undone, or until the killed process is started again.
  double duration_s = 0;
  std::uint64_t target = 0;  // Any number; the target is chosen from it when the fault happens.
};

// The kinds of faults that this machine allows.
struct Capabilities {
  bool links = false;  // Links can be cut.
  bool disk = false;   // The disk can be filled.
};

enum class FaultTiming : std::uint8_t {
  // A fault may begin before the cluster has recovered from the last one; most are short.
  kOverlapping,
  // One fault after the other. Each lasts long enough to be noticed, and recovery ends long before
  // the next one: this shows how long recovery from one fault takes. All kinds are equally
  // frequent.
  kApart,
};

class Faults {
 public:
  // With kOverlapping, every seed has frequent kinds and rare kinds, so that each kind is tried
  // alone as well as with others. With any seed, a coordinator is lost from time to time.
  Faults(std::uint64_t seed, const Capabilities& capabilities,
         FaultTiming timing = FaultTiming::kOverlapping);
  // Seconds from a run's first pass to its first fault. With kApart this is long enough that the
  // coordinator knows how often each worker sends heartbeats.
  [[nodiscard]] double first_s() const;
  [[nodiscard]] Fault next();

 private:
  Random random_;
  FaultTiming timing_;
  std::array<double, kFaultKinds> weights_{};
};

}  // namespace surety::bench
