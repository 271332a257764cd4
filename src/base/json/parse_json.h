// Parses JSON texts that anybody may have written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/result.h"

namespace surety {

// Arrays and objects nest at most this deep. Libraries visit nested values recursively, so a deeper
// text could exhaust the stack.
inline constexpr int kJsonDepthMax = 64;

// `Json` is nlohmann::json or nlohmann::ordered_json. InvalidInput: the text is not JSON, nests too
// deep, or an object has a key twice, so that two readers could see different values. Time:
// O(n log n) for n bytes, whatever they hold. Memory: O(n).
template <typename Json>
[[nodiscard]] Result<Json> parse_json(std::string_view text);

extern template Result<nlohmann::json> parse_json<nlohmann::json>(std::string_view text);
extern template Result<nlohmann::ordered_json> parse_json<nlohmann::ordered_json>(
    std::string_view text);

}  // namespace surety
