// The user's keys on disk: a folder that only the user may read.
//
//   signing.key   the secret half of the key that signs the records of runs
//   signing.vkey  the public half, which is given to others
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/note.h"

namespace surety::runtime {

// $XDG_CONFIG_HOME/surety, else ~/.config/surety; absent if the user has neither.
[[nodiscard]] std::optional<std::filesystem::path> default_keys();

// Makes a new key and the folder. InvalidInput: there is a key already, or a key may not have this
// name.
[[nodiscard]] Result<record::Signer> create_signer(const std::filesystem::path& folder,
                                                   const std::string& name);

// Absent if there is no folder or no key. InvalidInput: others may read the file, or it contains no
// key.
[[nodiscard]] Result<std::optional<record::Signer>> read_signer(
    const std::optional<std::filesystem::path>& folder);

// Reads a public key. The argument is the text of the key, or the name of a file that contains it.
// InvalidInput: it is neither.
[[nodiscard]] Result<record::Verifier> read_verifier(const std::string& text_or_file);

}  // namespace surety::runtime
