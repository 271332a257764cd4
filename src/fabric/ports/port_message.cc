#include "fabric/ports/port_message.h"

#include "proto/fabric.pb.h"

namespace surety::fabric {
namespace {

constexpr double kRateMax = 1e12;  // Bytes per second, more than any port carries.

Result<CarriedRate> read(const proto::PortSeen::Side& side) {
  for (const double rate : {side.burst_bytes_per_s(), side.sustained_bytes_per_s()}) {
    if (rate >= 0 && rate <= kRateMax) continue;
    return fail(ErrorCode::kCorrupt, "a port reports an impossible rate, {} bytes/s", rate);
  }
  return CarriedRate{side.burst_bytes_per_s(), side.sustained_bytes_per_s(), side.is_steady()};
}

void write(const CarriedRate& carried, proto::PortSeen::Side& side) {
  side.set_burst_bytes_per_s(carried.burst_bytes_per_s);
  side.set_sustained_bytes_per_s(carried.sustained_bytes_per_s);
  side.set_is_steady(carried.is_steady);
}

}  // namespace

proto::PortSeen to_proto(const PortWatch::Rates& seen) {
  proto::PortSeen message;
  write(seen.out, *message.mutable_out());
  write(seen.in, *message.mutable_in());
  return message;
}

Result<PortWatch::Rates> from_proto(const proto::PortSeen& seen) {
  PortWatch::Rates read_seen;
  SURETY_TRY(read_seen.out, read(seen.out()));
  SURETY_TRY(read_seen.in, read(seen.in()));
  return read_seen;
}

}  // namespace surety::fabric
