// Listens for workers at an address that listen_addresses.h names.
#pragma once

#include <memory>

#include "base/result.h"
#include "runtime/control/control_server.h"
#include "runtime/coordinator/listen_addresses.h"

namespace surety::runtime {

// If another program holds the port for longer than the address has patience, the error of
// serve_control() is returned.
[[nodiscard]] Result<std::unique_ptr<ListeningServer>> listen_at(
    const ListenAddress& address, const ControlServerOptions& options,
    Inbox<ConnectionEvent>& inbox);

}  // namespace surety::runtime
