// `surety verify --proof`: checks the proof of one fact of a run, which `surety prove` has written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/note.h"

namespace surety::cli {

// Prints the fact that the file proves, and returns an exit code. `key`: the key that must have
// signed. InvalidInput if it is absent: a proof without a key proves nothing. `witnesses`: the keys
// of the witnesses that must have signed, too.
[[nodiscard]] Result<int> verify_proof(const std::string& file,
                                       const std::optional<record::Verifier>& key,
                                       const std::vector<record::Verifier>& witnesses, bool json);

}  // namespace surety::cli
