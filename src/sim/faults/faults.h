// The faults of a simulated run: one struct, drawn from a seed or written in a scenario.
//
// Drawn by swarm testing (Groce et al. 2012): each kind of fault is switched on or off once per
// run, so that frequent kinds do not hide rare ones, and some runs have a single kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/network/network.h"

namespace surety::sim {

enum class FaultKind : std::uint8_t {
  kJoin,       // A worker joins from elsewhere.
  kLeave,      // A worker is told to stop, and leaves gracefully.
  kCrash,      // A worker's process ends; others see its connections close.
  kVanish,     // A worker's machine disappears; no connection is closed.
  kStall,      // A process stops for a while, then continues.
  kSlow,       // A machine computes more slowly for a while.
  kCut,        // Two machines cannot reach each other for a while.
  kCutOneWay,  // Only one direction between two machines is cut.
  kRackCut,    // A rack is cut off from the other racks.
  // A connection between two workers, or between a worker and the coordinator, is lost. The next
  // attempt to connect succeeds.
  kLinkBreak,
  // The coordinator restarts and replays its journal, whose tail may be torn.
  kCoordinatorCrash,
  kClockJump,          // The coordinator's clock jumps forwards.
  kDiskFull,           // Neither the journal nor a checkpoint can be written for a while.
  kCorruptChunk,       // The next chunk that is read is damaged.
  kCorruptCheckpoint,  // A checkpoint file is damaged after it was written.
  kWrongBytes,         // A bit of a worker's model flips in memory.
  // The values that a worker sends in a round are lost, but its connections stay.
  kLostValues,
};
inline constexpr std::size_t kFaultKinds = 17;
[[nodiscard]] const char* name_of(FaultKind kind);  // "cut one way"
[[nodiscard]] std::optional<FaultKind> fault_named(const std::string& name);

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  double at_s = 0;
  double for_s = 0;  // Duration of faults that end by themselves, in seconds.
  // Node, from 1 (absent: a random one), or rack, from 0; taken modulo the number of nodes or
  // racks.
  std::optional<std::uint32_t> target{};
  // Machine at the other end of a cut or link: 0 is the coordinator's, and nodes count from 1.
  std::uint32_t other = 0;
  // A number that is drawn or written for this fault. Its meaning depends on the kind (see the
  // functions below).
  double size = 0;

  // Each function REQUIRES the kind of fault that it belongs to.
  [[nodiscard]] double slowness() const;    // The factor of a slow-down.
  [[nodiscard]] double torn_share() const;  // Share of the journal's torn tail that remains.
  [[nodiscard]] double jump_s() const;      // Seconds that the clock jumps.
  // Whether the reader of a damaged checkpoint cannot see the damage.
  [[nodiscard]] bool is_quiet() const;
};

struct Faults {
  std::vector<Fault> list;  // Ascending by time.
  NetworkConditions conditions;
  // At end_s all faults end, and progress is required from then on.
  double begin_s = 0;
  double end_s = 0;
};

struct SwarmOptions {
  double begin_s = 2;
  double end_s = 40;
  std::uint32_t nodes = 4;
  std::uint32_t racks = 1;
  double per_minute_max = 12;  // Limit for each kind of fault.
};

// The same seed and options give the same faults.
[[nodiscard]] Faults draw_faults(std::uint64_t seed, const SwarmOptions& options);

}  // namespace surety::sim
