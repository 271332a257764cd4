// The transport of real clusters: UCX active messages over connections made by address.
//
// Every frame has a checked header (fabric/wire.h), its payload a checksum; whoever connects says
// hello with the secret first. A peer that breaks the rules is cut off with the reason: a frame
// that is damaged, repeated, or longer than message_bytes_max (before any memory is allocated for
// it). Payloads from 128 KiB travel by rendezvous, straight into the buffer of the message.
//
// A peer that dies gives PeerLost; one whose network falls silent gives nothing for a long time,
// whatever the operating system: liveness is for the control stream's heartbeats to judge.
//
// Not busy: poll() sleeps on file descriptors.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "fabric/transport.h"

namespace surety::fabric {

struct UcxOptions {
  TransportOptions transport{};
  // IP:PORT; port 0: one that is free. Bytes travel over the interface of this IP only, unless it
  // is a wildcard.
  std::string listen = "127.0.0.1:0";
  // IP under which others reach this machine; empty: the one of `listen`, which then must not be a
  // wildcard such as 0.0.0.0.
  std::string advertise{};
};

// InvalidInput: an address makes no sense. Unavailable: the port is taken, or UCX does not work.
[[nodiscard]] Result<std::unique_ptr<WakeableTransport>> make_ucx_transport(
    const UcxOptions& options);

}  // namespace surety::fabric
