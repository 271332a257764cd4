#include "fabric/network/capacities.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace surety::fabric {

void Capacities::set_port(HostId host, const Port& port) {
  if (host.value >= whole_.size()) {
    const std::size_t count = host.value + 1;
    whole_.resize(count);
    spare_.resize(count);
    reserved_.resize(count);
  }
  whole_[host.value] = port;
  update_spare(host.value);
}

void Capacities::set_rate(HostId host, PortSide side, double bytes_per_s) {
  rate_of(whole_[host.value], side) = bytes_per_s;
  update_spare(host.value);
}

void Capacities::update_spare(std::uint32_t host) {
  for (const PortSide side : kPortSides) {
    rate_of(spare_[host], side) =
        std::max(0.0, rate_of(whole_[host], side) - rate_of(reserved_[host], side));
  }
}

void Capacities::reserve(std::span<const Load> loads, double bytes_per_s) {
  for (const Load& load : loads) {
    const double change = load.per_byte * bytes_per_s;
    double& promise = rate_of(reserved_[load.host.value], load.side);
    promise += change;
    // The remainder is a rounding error of sums and differences.
    if (promise < 1e-9 * std::abs(change)) promise = 0;
    update_spare(load.host.value);
  }
}

}  // namespace surety::fabric
