// The sockets that this process has on the port of a listener. UCX owns them and gives no access to
// them, so they are found among the open files of the process.
//
// They are needed because UCX 1.13.1 crashes if a connection request is complete when its listener
// has been destroyed already: a thread of UCX still holds the connection, and its pointer to the
// listener (openucx issue 11087).
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>

namespace surety::fabric {

class ListeningPort {
 public:
  // REQUIRES: a socket of this process listens on `address`, an IPv4 or IPv6 address.
  explicit ListeningPort(const sockaddr_storage& address);

  // Afterwards, no process can connect any more, and each connection that others made to the port
  // ends: its owner reads the data that have arrived, and then the end. Returns how many of these
  // connections are still open in this process; absent if the open files cannot be listed at
  // present. O(open files of the process).
  std::optional<std::size_t> shut_down() const;

 private:
  sockaddr_storage address_;
  // The socket that listens; absent if it was not found.
  std::optional<ino_t> listener_;
};

}  // namespace surety::fabric
