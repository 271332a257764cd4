// Public keys as options of a command.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/note.h"

namespace surety::cli {

// The key in this text or file. InvalidInput, with the name of the option: it is no key, or a key
// of the other kind.
[[nodiscard]] Result<record::Verifier> read_key(const std::string& option, record::KeyKind kind,
                                                const std::string& text_or_file);
[[nodiscard]] Result<std::vector<record::Verifier>> read_keys(
    const std::string& option, record::KeyKind kind, const std::vector<std::string>& given);

}  // namespace surety::cli
