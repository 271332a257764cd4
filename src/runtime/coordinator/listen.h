// Where a coordinator listens for workers, so that those of the run's last coordinator find it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "runtime/control/control_server.h"

namespace surety::runtime {

// Listens at the address of the run's last coordinator. If workers that it left behind hold the
// port for a moment, the function waits. If another program holds it for longer, the error of
// serve_control() is returned.
// `options.listen` is not used.
[[nodiscard]] Result<std::unique_ptr<ControlServer>> listen_again(const std::string& last_address,
                                                                  ControlServerOptions options,
                                                                  Inbox<ConnectionEvent>& inbox);

// Listens for a run that several coordinators may lead: workers find the leading one through the
// run's folder. The last coordinator may hold its port for ever, but the port is tried for workers
// that cannot see the folder; there may be no last address. Any other port of the job's address
// (`options.listen`) is as good. Errors as those of serve_control(). REQUIRES: options.listen.
[[nodiscard]] Result<std::unique_ptr<ControlServer>> listen_anywhere(
    const std::optional<std::string>& last_address, ControlServerOptions options,
    Inbox<ConnectionEvent>& inbox);

}  // namespace surety::runtime
