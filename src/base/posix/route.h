// How machines reach each other: by which addresses, and whether they do.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace surety::posix {

// The IP from which packets to `host` (a name or an IP, an IPv6 one in brackets) leave; an IPv6
// address in brackets. Nothing is sent. Unavailable where the name is unknown or there is no route.
[[nodiscard]] Result<std::string> local_address_towards(const std::string& host);

// An IP of this machine that others may know it by: the first one that is not a loopback's, IPv4
// before IPv6 (in brackets). 127.0.0.1 where there is none.
[[nodiscard]] std::string own_address();

// Whether somebody listens there: connects to HOST:PORT by TCP and hangs up. Unavailable where
// nobody answers in time, or the connection is refused; InvalidInput where it is no HOST:PORT.
[[nodiscard]] Result<void> reach(const std::string& address, Duration patience);

}  // namespace surety::posix
