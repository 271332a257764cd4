// By which of this machine's addresses another one is reached.
#pragma once

#include <string>

#include "base/result.h"

namespace surety::posix {

// The IP from which packets to `host` (a name or an IP, an IPv6 one in brackets) leave; an IPv6
// address in brackets. Nothing is sent. Unavailable where the name is unknown or there is no route.
[[nodiscard]] Result<std::string> local_address_towards(const std::string& host);

}  // namespace surety::posix
