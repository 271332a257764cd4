// `surety verify --proof`: checks the proof of one fact of a run, which `surety prove` has written.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "record/note.h"

namespace surety::cli {

// Prints the fact that the file proves, and returns an exit code. `key`: the key that must have
// signed. InvalidInput if it is absent: a proof without a key proves nothing.
[[nodiscard]] Result<int> verify_proof(const std::string& file,
                                       const std::optional<record::Verifier>& key, bool json);

}  // namespace surety::cli
