// The key of a run's data connections.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace surety::fabric {

using TlsKey = std::array<std::byte, 32>;

// The key that all processes with the same token have (HKDF-SHA256, RFC 5869). It is as hard to
// guess as the token.
[[nodiscard]] TlsKey tls_key_of(std::string_view token);

}  // namespace surety::fabric
