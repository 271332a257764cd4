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
  // A connection between two workers, or between one and the coordinator, is lost, and made again
  // at the next try.
  kLinkBreak,
  // The coordinator restarts and replays its journal, whose tail may be torn.
  kCoordinatorCrash,
  kClockJump,          // The coordinator's clock jumps forwards.
  kDiskFull,           // Neither the journal nor a checkpoint can be written for a while.
  kCorruptChunk,       // The next chunk that is read is damaged.
  kCorruptCheckpoint,  // A checkpoint file is damaged after it was written.
  kWrongBytes,         // A bit of a worker's model flips in memory.
  kLostValues,         // What a worker sends in a round is lost, though its connections live.
};
inline constexpr std::size_t kFaultKinds = 17;
[[nodiscard]] const char* name_of(FaultKind kind);  // "cut one way"
[[nodiscard]] std::optional<FaultKind> fault_named(const std::string& name);

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  double at_s = 0;
  double for_s = 0;  // Duration of faults that end by themselves, in seconds.
  // Node from 1 (0 means any, by seed) or rack from 0; modulo the number there is.
  std::uint32_t target = 0;
  std::uint32_t other = 0;  // The other end of a cut or link; 0 means the coordinator's machine.
  // What is drawn or written for this fault. The functions below say what it means for which kind.
  double size = 0;

  // REQUIRES of each: this kind of fault.
  [[nodiscard]] double slowness() const;    // The factor of a slow-down.
  [[nodiscard]] double torn_share() const;  // Share of the journal's torn tail that remains.
  [[nodiscard]] double jump_s() const;      // Seconds that the clock jumps.
  // Whether the reader of a damaged checkpoint cannot see the damage.
  [[nodiscard]] bool is_quiet() const;
};

struct Faults {
  std::vector<Fault> list;  // Ascending by time.
  NetworkConditions conditions;
  // After end_s everything is healed, and progress is required.
  double begin_s = 0;
  double end_s = 0;
};

struct SwarmOptions {
  double begin_s = 2;
  double end_s = 40;
  std::uint32_t nodes = 4;
  std::uint32_t racks = 1;
  double per_minute_max = 12;  // For each kind.
};

// The same seed and options give the same faults.
[[nodiscard]] Faults draw_faults(std::uint64_t seed, const SwarmOptions& options);

}  // namespace surety::sim
