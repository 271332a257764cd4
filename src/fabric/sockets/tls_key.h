// The key of a run's data connections.
#pragma once

#include <string_view>

#include "base/crypto/derived_key.h"

namespace surety::fabric {

using TlsKey = crypto::Key;

// The key that all processes with the same token have.
[[nodiscard]] TlsKey tls_key_of(std::string_view token);

}  // namespace surety::fabric
