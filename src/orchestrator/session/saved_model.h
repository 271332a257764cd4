// The model file of a checkpoint, and what was saved in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace surety::orchestrator {

struct SavedModel {
  std::string path;
  std::string version;                    // The model's version: "full" or "prune:F".
  std::optional<std::uint64_t> checksum;  // None if the journal does not contain it.
};

}  // namespace surety::orchestrator
