// Chooses the address at which a coordinator listens, so that the workers of the run's last
// coordinator find it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "runtime/control/control_server.h"

namespace surety::runtime {

// Listens at the address of the run's last coordinator. If remaining workers of that coordinator
// hold the port for a moment, the function waits. If another program holds it for longer, the error
// of serve_control() is returned. `options.listen` is not used.
[[nodiscard]] Result<std::unique_ptr<ControlServer>> listen_again(const std::string& last_address,
                                                                  ControlServerOptions options,
                                                                  Inbox<ConnectionEvent>& inbox);

// Listens for a run that several coordinators may lead: workers find the leading one through the
// run's folder. The port of the last coordinator, if there is one, is tried first, for workers that
// cannot see the folder. If the port is in use, perhaps for ever, any other port of the job's
// address (`options.listen`) is used. The errors are those of serve_control(). REQUIRES:
// options.listen.
[[nodiscard]] Result<std::unique_ptr<ControlServer>> listen_anywhere(
    const std::optional<std::string>& last_address, ControlServerOptions options,
    Inbox<ConnectionEvent>& inbox);

}  // namespace surety::runtime
