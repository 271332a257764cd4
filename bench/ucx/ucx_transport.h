// The transport of real clusters: UCX active messages over connections made by address.
//
// Every frame has a checked header (fabric/transport/wire.h), and its payload has a checksum. A
// side that connects first sends a hello with the secret. A peer that breaks the rules is
// disconnected with the reason: a frame that is damaged, repeated, or longer than message_bytes_max
// (checked before any memory is allocated for it). Payloads from 128 KiB are sent by rendezvous,
// straight into the buffer of the message.
//
// A peer that crashes causes PeerLost. If the network of a peer fails silently, there is no event
// for a long time, which depends on the operating system. Liveness is judged by the heartbeats of
// the control stream.
//
// There is no busy polling: poll() sleeps on file descriptors.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

struct UcxOptions {
  TransportOptions transport{};
  // IP:PORT; port 0 chooses a free port. Bytes are sent only over the interface of this IP, unless
  // it is a wildcard.
  std::string listen = "127.0.0.1:0";
  // IP under which others reach this machine. If absent, it is the IP of `listen`, which must then
  // not be a wildcard such as 0.0.0.0.
  std::optional<std::string> advertise{};
};

// InvalidInput: an address is malformed or unusable. Unavailable: the port is taken, or UCX does
// not work.
[[nodiscard]] Result<std::unique_ptr<WakeableTransport>> make_ucx_transport(
    const UcxOptions& options);

}  // namespace surety::fabric
