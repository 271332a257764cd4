// The addresses at which a coordinator tries to listen, in order. The order lets workers of the
// run's last coordinator find it.
//
// Pure: no sockets. listen.h tries the addresses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace surety::runtime {

struct ListenWish {
  std::optional<std::string> wanted{};  // HOST:PORT that the user or the job names.
  std::optional<std::string> last{};    // Address of the run's last coordinator.
  // Several coordinators may lead the run, on several machines. Workers find the one that leads
  // through the run's folder. Otherwise they call only the address that they know.
  bool others_may_lead = false;
};

struct ListenAddress {
  std::optional<std::string> address{};  // None means a Unix socket in a new folder.
  // How long to try. Workers of the last coordinator may hold the port for a moment.
  Duration patience{};
  // The remaining workers of the last coordinator find a coordinator only here.
  bool remaining_call_here = false;
};

// Returns at least one address. The first one at which the coordinator can listen is to be taken.
//
// If others may lead, the last coordinator may hold its port for ever, so the port is tried once,
// for workers that cannot see the folder. If it is in use, any port of the wanted host will do.
//
// Otherwise, the last address comes first, unless it is a Unix socket and workers of other machines
// are to join now.
[[nodiscard]] std::vector<ListenAddress> listen_addresses(const ListenWish& wish);

// Whether the remaining workers of the last coordinator find a coordinator at this address.
[[nodiscard]] bool remaining_find(const ListenWish& wish, const std::string& address);

}  // namespace surety::runtime
