// Asks witnesses to sign the checkpoint of a run's journal (C2SP tlog-witness).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/note.h"

namespace surety::runtime {

// The answer of a witness. Its signatures were not checked, because only the reader of the run
// knows which key to trust.
struct Cosigned {
  std::vector<std::string> keys;  // The names of the keys that have signed; at least one.
  std::uint64_t records = 0;      // The first records of the journal; the witness has seen these.
};
[[nodiscard]] std::string words_of(const Cosigned& cosigned);  // "acme answered for 3 records ..."

// Sends the signed checkpoint of the run's newest journal to the witness at this URL, and stores
// the answer in the run's folder, in a file for this URL. O(n) for n records. A witness that is
// away takes five seconds, and one that answers slowly thirty at most.
// REQUIRES: is_http_url(url) (base/http_url.h). Errors:
// - InvalidInput: the run is not signed, or the witness does not know its key.
// - Unavailable: the witness did not answer; it may work later.
// - Corrupt: the journal is not the one that was signed, or the witness has seen another history.
[[nodiscard]] Result<Cosigned> cosign(const std::filesystem::path& run, const std::string& url);

// The checkpoints that witnesses have signed, one for each URL, in the order of their file names.
// Corrupt: a file is damaged. The signatures were not checked.
[[nodiscard]] Result<std::vector<record::Note>> read_cosigned(const std::filesystem::path& run);

}  // namespace surety::runtime
