// The transport of real clusters, which uses sockets of this process.
//
// On one machine it uses Unix sockets that only processes of the same user reach. Between machines
// it uses TCP under TLS 1.3, for which both sides need the same key. Until the other side has
// proved that it has the key, the data that it sends are not kept, and the resources that it can
// use are limited. A transport that listens on one kind of address can connect to both.
//
// A peer that breaks the rules of frames (fabric/transport/wire.h) is disconnected with the reason.
//
// A peer that crashes causes PeerLost. If the network of a peer fails silently, there is no event
// for a long time, which depends on the operating system. Liveness is judged by the heartbeats of
// the control stream.
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

// The address at which other machines reach the transport.
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
  TlsKey key{};  // The key for connections between machines.
  // If absent, only processes of this user on this machine can reach the transport.
  std::optional<NetworkOptions> network{};
  // Without `network`: the Unix socket whose folder is also used for this one; if absent, a new
  // folder is made.
  std::optional<std::string> beside{};
};

// InvalidInput: an address is malformed or unusable. Unavailable: the port is taken, or the
// operating system cannot watch sockets or provides no random numbers.
[[nodiscard]] Result<std::unique_ptr<WakeableTransport>> make_socket_transport(
    const SocketOptions& options);

}  // namespace surety::fabric
