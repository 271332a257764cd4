// How machines reach each other: with which addresses, and whether they can.
#pragma once

#include <string>
#include <string_view>

#include "base/posix/fd.h"
#include "base/result.h"
#include "base/time.h"

namespace surety::posix {

// The IP address from which packets to `host` leave. `host` is a name or an IP address; IPv6
// addresses are in brackets. Nothing is sent. Unavailable if the name is unknown or there is no
// route.
[[nodiscard]] Result<std::string> local_address_towards(const std::string& host);

// The host of HOST:PORT; IPv6 in brackets.
[[nodiscard]] std::string host_part(const std::string& address);

// True if listening at this host means listening at all addresses of the machine; IPv6 in brackets.
[[nodiscard]] bool is_wildcard(std::string_view host);

// True if each machine reaches itself by this host: 127.x.x.x, [::1] or localhost.
[[nodiscard]] bool is_loopback(std::string_view host);

// An IP address of this machine for use by others: the first one that is not a loopback address,
// IPv4 before IPv6 (in brackets). 127.0.0.1 if there is none.
[[nodiscard]] std::string own_address();

// True if the process at the other end of a Unix socket belongs to this process's user.
[[nodiscard]] bool is_of_this_user(int socket);

// A blocking connection to unix:PATH. If many processes connect to the server at once, this call
// waits for up to 0.2 s. Unavailable: nobody listens there, or a process of another user does.
// InvalidInput: `address` does not have this form.
[[nodiscard]] Result<Fd> connect_unix(const std::string& address);

// Checks that a server listens at HOST:PORT or at unix:PATH: connects and closes the connection.
// Unavailable if there is no answer in time, or the connection is refused. InvalidInput if
// `address` is neither.
[[nodiscard]] Result<void> reach(const std::string& address, Duration patience);

}  // namespace surety::posix
