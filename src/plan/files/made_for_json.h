// The MadeFor record as a part of a JSON document, and as a file of its own.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/files/json_writer.h"
#include "plan/files/made_for.h"

namespace surety::plan {

inline constexpr const char* kMadeForKey = "made_for";

[[nodiscard]] Json json_of(const MadeFor& made_for);

// The value of the key made_for. Errors: InvalidInput, with `file` and the key, if it is not an
// object of texts.
[[nodiscard]] Result<MadeFor> made_for_of(std::string_view file, const Json& json);

// The file in a profile's folder, beside its tables.
inline constexpr std::string_view kMadeForFile = "made_for.json";

// The text of that file. REQUIRES: valid UTF-8.
[[nodiscard]] std::string to_json(const MadeFor& made_for);

// Strict. Errors: InvalidInput, with the key, what was found and what was expected.
[[nodiscard]] Result<MadeFor> made_for_from_json(std::string_view file, std::string_view text);

}  // namespace surety::plan
