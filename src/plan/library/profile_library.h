// The knowledge that a job may take from the entries of a profile library.
//
// Jobs are of the same *kind* if the model, its versions, the training, the workers, the metric and
// the form of the data are the same. The target, the probability, prices and deadlines may differ.
// Laws are never taken from another model. Jobs are also of the same *data* if the content of all
// samples is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/library/library_entry.h"

namespace surety::plan {

// The properties of a job that are compared with entries.
struct LibraryJob {
  MadeFor made_for;
  std::uint32_t workers = 0;
  std::vector<std::string> versions;
};

enum class Relation : std::uint8_t { kNone, kSameKind, kSameData };

[[nodiscard]] Relation relation_of(const LibraryJob& entry, const LibraryJob& job);
[[nodiscard]] LibraryJob job_of(const LibraryEntry& entry);

// The knowledge of the entry with the most jobs, of the same data if there is one, otherwise of the
// same kind. One entry is enough, because it contains the earlier knowledge of its own job. Among
// equal entries the newest is taken.
[[nodiscard]] std::optional<EarlierJobs> known_of(std::span<const LibraryEntry> entries,
                                                  const LibraryJob& job);

// Indices of entries with the same kind and data as the job for which at least `kept` other entries
// contain more knowledge. Later jobs do not need these entries. O(entries + those of the same data
// squared).
[[nodiscard]] std::vector<std::size_t> superseded(std::span<const LibraryEntry> entries,
                                                  const LibraryJob& job, std::size_t kept);

}  // namespace surety::plan
