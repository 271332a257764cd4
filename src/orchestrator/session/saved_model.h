// The model file of a checkpoint, and what was saved in it.
#pragma once

#include <cstdint>
#include <string>

namespace surety::orchestrator {

struct SavedModel {
  std::string path;
  std::string version;         // The model's version: "full" or "prune:F".
  std::uint64_t checksum = 0;  // Checksum of the model's values.
};

}  // namespace surety::orchestrator
