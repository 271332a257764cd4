// The kind of an entry of the time line, and its name in certificates (docs/certificate.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/names.h"

namespace surety::certificate {

enum class EventKind : std::uint8_t {
  kAttempt,  // An attempt of the pool began or ended.
  kPromise,  // The promise was stated.
  kJoin,
  kLeave,  // A worker left gracefully.
  kLost,
  kSwitch,      // Training goes on with another version.
  kCheckpoint,  // A checkpoint was abandoned.
  kPhase,       // A phase began, or the run was resumed.
  kPause,       // No process works on the run until it is resumed.
  kStop,        // Training is over.
};

inline constexpr Names<EventKind, 10> kEventKindNames = {{{EventKind::kAttempt, "attempt"},
                                                          {EventKind::kPromise, "promise"},
                                                          {EventKind::kJoin, "join"},
                                                          {EventKind::kLeave, "leave"},
                                                          {EventKind::kLost, "lost"},
                                                          {EventKind::kSwitch, "switch"},
                                                          {EventKind::kCheckpoint, "checkpoint"},
                                                          {EventKind::kPhase, "phase"},
                                                          {EventKind::kPause, "pause"},
                                                          {EventKind::kStop, "stop"}}};

[[nodiscard]] inline std::string_view name_of(EventKind kind) {
  return name_in(kEventKindNames, kind);
}

}  // namespace surety::certificate
