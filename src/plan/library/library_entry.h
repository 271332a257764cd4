// What one finished run leaves in the profile library for later jobs.
//
// In a file, as JSON with a checksum of itself; laws are parameters of a belief
// (plan/pool/belief.h) in the versions that are named beside them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/files/made_for.h"
#include "plan/pool/attempt_pool.h"

namespace surety::plan {

struct LibraryEntry {
  std::string program;   // Its version.
  std::string job;       // The name, for people.
  std::string finished;  // ISO 8601, UTC.
  std::string outcome;   // "kept", "missed", "infeasible" or "stopped", for people.
  MadeFor made_for;
  std::uint32_t workers = 0;  // That the job asked for.
  std::vector<std::string> versions;
  EarlierJobs lessons;  // same_data is true.
};

// A reader refuses larger files before it allocates memory for them.
inline constexpr std::uint64_t kEntryBytesMax = 4u << 20;

// REQUIRES: finite numbers, valid UTF-8.
[[nodiscard]] std::string to_json(const LibraryEntry& entry);

// Strict: InvalidInput naming the key, what was found and what was expected; so for a wrong
// checksum, laws that are none, and laws of another number of parameters than the versions have.
[[nodiscard]] Result<LibraryEntry> library_entry_from_json(std::string_view file,
                                                           std::string_view text);

}  // namespace surety::plan
