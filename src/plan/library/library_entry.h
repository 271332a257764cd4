// The entry that one finished run adds to the profile library, for later jobs.
//
// In a file it is JSON with a checksum of itself. Laws are parameters of a belief
// (plan/belief/belief.h) in the versions that are listed beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/files/made_for.h"
#include "plan/pool/attempt_pool.h"

namespace surety::plan {

struct LibraryEntry {
  std::string program;   // Version of the program.
  std::string job;       // Name of the job, for display.
  std::string finished;  // ISO 8601, UTC.
  std::string outcome;   // "kept", "missed", "infeasible" or "stopped", for display.
  MadeFor made_for;
  std::uint32_t workers = 0;  // Number of workers that the job requested.
  std::vector<std::string> versions;
  EarlierJobs earlier_jobs;  // Its same_data is true.
};

// Readers refuse larger files before they allocate memory for them.
inline constexpr std::uint64_t kEntryBytesMax = 4u << 20;

// Readers refuse an entry in which `program`, `job`, `finished` or `outcome` is longer, in bytes,
// or is not plain text (plain_text() in base/text.h).
inline constexpr std::size_t kEntryTextMax = 200;

// REQUIRES: finite numbers, valid UTF-8.
[[nodiscard]] std::string to_json(const LibraryEntry& entry);

// Strict. Errors: InvalidInput, with the key, what was found and what was expected; also for a
// wrong checksum, a text that is not plain, invalid laws, laws whose number of parameters does not
// match the versions, a metric or a version that such a job cannot have, and a text that is not a
// time.
[[nodiscard]] Result<LibraryEntry> library_entry_from_json(std::string_view file,
                                                           std::string_view text);

}  // namespace surety::plan
