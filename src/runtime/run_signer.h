// Signs what a run leaves in its folder, and reads what was signed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "record/checkpoint.h"
#include "record/note.h"
#include "record/results.h"

namespace surety::runtime {

class RunSigner {
 public:
  // `origin`: the name of the run's record.
  RunSigner(std::filesystem::path folder, std::string origin, record::Signer signer)
      : folder_(std::move(folder)), origin_(std::move(origin)), signer_(std::move(signer)) {}

  [[nodiscard]] record::Verifier verifier() const { return signer_.verifier(); }
  // Signs that the record has grown to this. It costs nothing if the head is the last one.
  // REQUIRES: no crash loses a record of it. Unavailable: the file cannot be written.
  [[nodiscard]] Result<void> sign(const record::TreeHead& head);
  // Signs the files that an ended run has left.
  [[nodiscard]] Result<void> sign_results(const record::TreeHead& head);

 private:
  std::filesystem::path folder_;
  std::string origin_;
  record::Signer signer_;
  record::TreeHead signed_{};
};

// A text that was read, and the note that it is in.
template <typename Content>
struct SignedFile {
  record::Note note;
  Content content;
};
// Absent if the run has none. Corrupt: it is damaged.
[[nodiscard]] Result<std::optional<SignedFile<record::Checkpoint>>> read_signed_head(
    const std::filesystem::path& run);
[[nodiscard]] Result<std::optional<SignedFile<record::Results>>> read_signed_results(
    const std::filesystem::path& run);

// Checks that these records begin with those that were signed before, if any were. Corrupt: a
// record was changed or removed since then.
[[nodiscard]] Result<void> check_signed_before(const std::filesystem::path& run,
                                               const record::Digests& leaves);

}  // namespace surety::runtime
