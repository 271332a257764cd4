#include "elastic/ownership/directory_check.h"

#include <fmt/format.h>

namespace surety::elastic {
namespace {

// Returns the violation in one entry, given the live workers; none if the entry is right.
std::optional<std::string> entry_violation(const Entry& entry, const ChunkSize& chunk,
                                           const std::set<WorkerId>& live) {
  if (entry.samples_done > chunk.samples) {
    return fmt::format("{} samples are done of {}", entry.samples_done, chunk.samples);
  }
  if (entry.version == 0) {
    const bool untouched =
        entry.state == Ownership::kOrphan && !entry.holder && entry.samples_done == 0;
    if (untouched) return std::nullopt;
    return "was never granted, but a worker had it";
  }
  const bool owner_is_here = live.contains(entry.owner);
  const std::uint32_t owner = entry.owner.value;
  const std::uint32_t holder = entry.holder.value_or(WorkerId{}).value;
  switch (entry.state) {
    case Ownership::kOwned:
      if (!owner_is_here) return fmt::format("owner {} is not a live worker", owner);
      if (entry.holder) return fmt::format("is owned, and also held by {}", holder);
      return std::nullopt;
    case Ownership::kHanding:
      if (!owner_is_here) return fmt::format("receiver {} is not a live worker", owner);
      if (entry.holder == entry.owner) return fmt::format("is handed over by {} to itself", owner);
      if (entry.holder && !live.contains(*entry.holder)) {
        return fmt::format("holder {} is not a live worker", holder);
      }
      return std::nullopt;
    case Ownership::kOrphan:
      if (owner_is_here) return fmt::format("is an orphan of {}, which is a live worker", owner);
      if (entry.holder) return fmt::format("is an orphan, but held by {}", holder);
      return std::nullopt;
  }
  return "has an unknown state";
}

}  // namespace

std::optional<std::string> ownership_violation(std::span<const Entry> entries,
                                               std::span<const ChunkSize> chunks,
                                               const std::set<WorkerId>& live,
                                               const std::set<WorkerId>& leaving) {
  if (entries.size() != chunks.size()) {
    return fmt::format("{} entries for {} chunks", entries.size(), chunks.size());
  }
  std::set<WorkerId> busy;  // Workers that own, receive or hold a chunk.
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const auto wrong = entry_violation(entries[i], chunks[i], live)) {
      return fmt::format("chunk {}: {}", i, *wrong);
    }
    if (leaving.empty()) continue;
    if (entries[i].state != Ownership::kOrphan) busy.insert(entries[i].owner);
    if (entries[i].holder) busy.insert(*entries[i].holder);
  }
  for (const WorkerId worker : leaving) {
    if (!busy.contains(worker)) {
      return fmt::format("worker {} leaves and has no chunk, but has not departed", worker.value);
    }
  }
  return std::nullopt;
}

}  // namespace surety::elastic
