// Asks witnesses to sign the checkpoint of a run's journal (C2SP tlog-witness).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/note.h"

namespace surety::runtime {

struct Cosigned {
  std::string witness;        // The name of its key.
  std::uint64_t records = 0;  // The first records of the journal; the witness has seen these.
};

// Sends the signed checkpoint of the run's newest journal to the witness at this URL, and stores
// the answer in the run's folder. Takes at most some ten seconds. O(n) for n records.
// REQUIRES: is_http_url(url) (base/http_url.h). Errors:
// - InvalidInput: the run is not signed.
// - Unavailable: the witness did not answer; it may work later.
// - Corrupt: the journal is not the one that was signed, or the witness has seen another history.
[[nodiscard]] Result<Cosigned> cosign(const std::filesystem::path& run, const std::string& url);

// The checkpoints that witnesses have signed, one for each witness, in the order of their file
// names. Corrupt: a file is damaged. The signatures were not checked.
[[nodiscard]] Result<std::vector<record::Note>> read_cosigned(const std::filesystem::path& run);

}  // namespace surety::runtime
