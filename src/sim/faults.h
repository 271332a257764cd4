// What goes wrong in a simulated run: one struct, drawn by a seed or written in a scenario.
//
// Drawn by swarm weights (Groce et al. 2012): each kind of fault is switched on or off once per
// run, so that rare ones are not drowned by frequent ones, and some runs have a single kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/network.h"

namespace surety::sim {

enum class FaultKind : std::uint8_t {
  kJoin,               // A worker comes by itself.
  kLeave,              // Somebody is told to go, and says so.
  kCrash,              // A worker's process ends: others see its connections close.
  kVanish,             // A worker's machine is gone: nobody is told.
  kStall,              // A process stands still, and goes on later.
  kSlow,               // A machine computes more slowly for a while.
  kCut,                // Two machines do not reach each other for a while.
  kCutOneWay,          // One of them still does.
  kRackCut,            // A rack is cut off from the others.
  kLinkBreak,          // A connection is lost, between two workers or one and the coordinator, and
                       // made anew at the next try.
  kCoordinatorCrash,   // It starts again and replays its journal, of which a tail may be torn.
  kClockJump,          // The coordinator's clock goes forwards.
  kDiskFull,           // Neither the journal nor a checkpoint can be written for a while.
  kCorruptChunk,       // A chunk that is read next is damaged.
  kCorruptCheckpoint,  // A file of a checkpoint is damaged after it was written.
  kWrongBytes,         // A worker's memory turns a bit of its model over.
};
inline constexpr std::size_t kFaultKinds = 16;
[[nodiscard]] const char* name_of(FaultKind kind);  // "cut one way"
[[nodiscard]] std::optional<FaultKind> fault_named(const std::string& name);

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  double at_s = 0;
  double for_s = 0;          // Of those that pass.
  std::uint32_t target = 0;  // Node from 1, rack from 0; modulo what there is. 0: any, by seed.
  std::uint32_t other = 0;   // The second one of a cut or link; 0: the coordinator's machine.
  double size = 0;           // Factor of a slow-down, share of a torn tail, seconds of a jump;
                             // of a damaged checkpoint below 0.5 where its reader cannot see it.
};

struct Faults {
  std::vector<Fault> list;  // Ascending by time.
  Weather weather;
  double begin_s = 0, end_s = 0;  // After it everything is healed, and progress is demanded.
};

struct SwarmOptions {
  double begin_s = 2, end_s = 40;
  std::uint32_t nodes = 4, racks = 1;
  double per_minute_max = 12;  // Of one kind.
};

// The same seed and options, the same faults.
[[nodiscard]] Faults draw_faults(std::uint64_t seed, const SwarmOptions& options);

}  // namespace surety::sim
