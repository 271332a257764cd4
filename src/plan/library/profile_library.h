// What a job may learn from the entries of a profile library.
//
// Jobs are of the same *kind* where the model, its versions, the training, the workers, the metric
// and the form of the data are alike; the target, the probability, prices and deadlines may differ.
// Laws are never taken over from another model. They are of the same *data*, too, where the content
// of all samples is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/library/library_entry.h"

namespace surety::plan {

// What entries are compared with.
struct LibraryJob {
  MadeFor made_for;
  std::uint32_t workers = 0;
  std::vector<std::string> versions;
};

enum class Kinship : std::uint8_t { kNone, kSameKind, kSameData };

[[nodiscard]] Kinship kinship(const LibraryJob& entry, const LibraryJob& job);
[[nodiscard]] LibraryJob job_of(const LibraryEntry& entry);

// What the entry with the most jobs says, of the same data if there is one, of the same kind
// otherwise: each entry holds what its job knew already. The newest one of those that are alike.
[[nodiscard]] std::optional<EarlierJobs> known_of(std::span<const LibraryEntry> entries,
                                                  const LibraryJob& job);

// Entries, by index, of the same kind and data as the job, of which as many others hold more: later
// jobs need them no more. O(entries + those of the same data squared).
[[nodiscard]] std::vector<std::size_t> superseded(std::span<const LibraryEntry> entries,
                                                  const LibraryJob& job, std::size_t kept);

}  // namespace surety::plan
