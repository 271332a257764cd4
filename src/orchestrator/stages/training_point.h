// A point in training, with the model that was saved there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "orchestrator/session/session_spec.h"

namespace surety::orchestrator {

// The current point in training; also what a checkpoint lets training resume from.
struct TrainingPoint {
  std::uint32_t pass = 0;
  std::uint32_t block = 0;  // Index into plan.blocks.
  std::uint32_t pass_in_block = 0;
  std::string version = "full";
  std::optional<SavedModel> saved;                 // None means a fresh model.
  std::map<std::uint32_t, StateFile> state_files;  // The key is the chunk's id.
};

}  // namespace surety::orchestrator
