#include "fabric/network/capacities.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace surety::fabric {

void Capacities::set_port(WorkerId worker, const Port& port) {
  if (worker.value >= whole_.size()) {
    const std::size_t count = worker.value + 1;
    whole_.resize(count);
    spare_.resize(count);
    reserved_.resize(count);
  }
  whole_[worker.value] = port;
  update_spare(worker.value);
}

void Capacities::set_rate(WorkerId worker, PortSide side, double bytes_per_s) {
  rate_of(whole_[worker.value], side) = bytes_per_s;
  update_spare(worker.value);
}

void Capacities::update_spare(std::uint32_t worker) {
  for (const PortSide side : kPortSides) {
    rate_of(spare_[worker], side) =
        std::max(0.0, rate_of(whole_[worker], side) - rate_of(reserved_[worker], side));
  }
}

void Capacities::reserve(std::span<const Load> loads, double bytes_per_s) {
  for (const Load& load : loads) {
    const double change = load.per_byte * bytes_per_s;
    double& promise = rate_of(reserved_[load.worker.value], load.side);
    promise += change;
    // The remainder is a rounding error of sums and differences.
    if (promise < 1e-9 * std::abs(change)) promise = 0;
    update_spare(load.worker.value);
  }
}

}  // namespace surety::fabric
