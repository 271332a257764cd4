// The MadeFor record as a part of a JSON document.
#pragma once

#include <string_view>

#include "plan/files/json_writer.h"
#include "plan/files/made_for.h"

namespace surety::plan {

inline constexpr const char* kMadeForKey = "made_for";

[[nodiscard]] Json json_of(const MadeFor& made_for);

// The value of the key made_for. Errors: InvalidInput, with `file` and the key, if it is not an
// object of texts.
[[nodiscard]] Result<MadeFor> made_for_of(std::string_view file, const Json& json);

}  // namespace surety::plan
