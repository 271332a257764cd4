// Converts measurements of a port to and from the message in which workers report them.
#pragma once

#include "base/result.h"
#include "fabric/ports/port_watch.h"

namespace surety::proto {
class PortSeen;
}  // namespace surety::proto

namespace surety::fabric {

[[nodiscard]] proto::PortSeen to_proto(const PortWatch::Rates& seen);
// Corrupt: a rate is impossible for a port.
[[nodiscard]] Result<PortWatch::Rates> from_proto(const proto::PortSeen& seen);

}  // namespace surety::fabric
