// The measurements of a run's profile, from the records of its journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "plan/profile.h"

namespace surety::proto {
class JournalRecord;
}  // namespace surety::proto

namespace surety::orchestrator {

struct ProfileHistory {
  plan::Profile finished;                // Finished profile runs only.
  plan::Profile unfinished;              // The current profile run; dropped when the run resumes.
  std::set<std::uint32_t> done;          // Indices of finished profile runs.
  std::optional<double> first_join_s{};  // Time at which the first worker joined.
};

// Profiling begins with this many workers. Only the first call counts. Times are in seconds since
// the run began.
void note_start(ProfileHistory& history, double now_s, std::size_t workers);

// Adds what the record has measured: a point of a curve, a change of version, the speed of a node,
// the rate of a link, or the end of a profile run. Other records change nothing. The first
// evaluation of an untrained model ends the start.
void add_measurement(ProfileHistory& history, const proto::JournalRecord& record, double now_s);

}  // namespace surety::orchestrator
