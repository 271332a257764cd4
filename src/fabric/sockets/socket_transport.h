// The transport of real clusters: sockets of this process, and nothing below them but the kernel.
//
// On one machine it uses Unix sockets that only processes of the same user reach. Between machines
// it uses TCP under TLS 1.3, for which both sides need the same key. Until the other
// side has proved that it has the key, nothing that it sends is kept, and what it can cost is
// limited. A transport that
// listens on one kind of address can connect to both.
//
// A peer that breaks the rules of frames (fabric/transport/wire.h) is disconnected with the reason.
//
// A peer that crashes causes PeerLost. A peer whose network falls silent causes no event for a long
// time, which depends on the operating system. Liveness is judged by the heartbeats of the control
// stream.
//
// There is no busy polling: poll() sleeps until a socket is ready.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "fabric/sockets/tls_key.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

// How other machines reach the transport.
struct NetworkOptions {
  // IP:PORT; port 0 chooses a free port. Bytes are sent only over the interface of this IP, unless
  // it is a wildcard.
  std::string listen = "127.0.0.1:0";
  // IP under which others reach this machine. If absent, it is the IP of `listen`, which must then
  // not be a wildcard such as 0.0.0.0.
  std::optional<std::string> advertise{};
};

struct SocketOptions {
  TransportOptions transport{};
  TlsKey key{};  // For connections between machines.
  // If absent, only processes of this user on this machine reach the transport.
  std::optional<NetworkOptions> network{};
  // Without `network`: the Unix socket in whose folder this one's is to be; absent: a new folder.
  std::optional<std::string> beside{};
};

// InvalidInput: an address is malformed or unusable. Unavailable: the port is taken.
[[nodiscard]] Result<std::unique_ptr<WakeableTransport>> make_socket_transport(
    const SocketOptions& options);

}  // namespace surety::fabric
