// The digests of the files of a run that has ended, signed with the key of its journal.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/crypto/digest.h"
#include "base/result.h"
#include "record/note.h"
#include "record/results.h"
#include "runtime/files/journal_file.h"

namespace surety::runtime {

// Key: the name of the file in the run's folder.
using FileDigests = std::map<std::string, crypto::Digest>;

// Signs these files of a run whose whole journal has this head. Files that are already signed for
// the same journal are not signed again, so that a file that was replaced since then gets no
// signature. Errors: those of posix::write_file_atomically().
[[nodiscard]] Result<void> sign_results(const std::filesystem::path& run, const JournalKey& key,
                                        const record::TreeHead& head, const FileDigests& files);

struct SignedResults {
  record::Note note;
  record::Results results;
};
// Absent if there are none. Corrupt: the file is damaged.
[[nodiscard]] Result<std::optional<SignedResults>> read_signed_results(
    const std::filesystem::path& run);

}  // namespace surety::runtime
