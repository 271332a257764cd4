// What a port has carried, as hosts and workers say it to whoever decides by it.
#pragma once

#include "base/result.h"
#include "fabric/ports/port_watch.h"

namespace surety::proto {
class PortSeen;
}  // namespace surety::proto

namespace surety::fabric {

[[nodiscard]] proto::PortSeen to_proto(const PortWatch::Seen& seen);
// Corrupt: a rate that no port has.
[[nodiscard]] Result<PortWatch::Seen> from_proto(const proto::PortSeen& seen);

}  // namespace surety::fabric
