// Functions for the tests of a directory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "elastic/ownership/ownership.h"

namespace surety::elastic {
namespace directory_test {

// Grants not yet confirmed, in their current form: without `from` if the sender has died.
inline std::vector<Grant> pending_grants(std::span<const Entry> entries) {
  std::vector<Grant> grants;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (entry.state != Ownership::kHanding) continue;
    grants.push_back(
        {.chunk = ChunkId{i}, .version = entry.version, .to = entry.owner, .from = entry.holder});
  }
  return grants;
}

}  // namespace directory_test
}  // namespace surety::elastic
