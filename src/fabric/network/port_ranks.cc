#include "fabric/network/port_ranks.h"

#include <algorithm>
#include <cstddef>

namespace surety::fabric {
namespace {

std::size_t index_of(PortSide side) { return static_cast<std::size_t>(side); }

}  // namespace

PortRanks::PortRanks(std::uint32_t classes, const HostPorts& hosts) {
  for (const PortSide side : kPortSides) {
    SpeedClasses& speed = speed_classes_[index_of(side)];
    speed.count = classes;
    for (const auto& [host, port] : hosts) {
      speed.reference_bytes_per_s = std::max(speed.reference_bytes_per_s, rate_of(port, side));
    }
  }
  for (const auto& [host, port] : hosts) {
    hosts_.push_back(host);
    ranks_.resize(host.value + 1);  // Hosts are in ascending order.
    for (const PortSide side : kPortSides) {
      ranks_[host.value].classes[index_of(side)] =
          speed_classes_[index_of(side)].class_of(rate_of(port, side));
    }
  }
}

void PortRanks::set_rate(HostId host, PortSide side, double bytes_per_s) {
  std::uint32_t& rank = ranks_[host.value].classes[index_of(side)];
  rank = speed_classes_[index_of(side)].class_of(bytes_per_s, rank);
}

void PortRanks::compare(std::span<const Port> ports) {
  std::vector<bool> fast(ranks_.size(), true);
  for (const PortSide side : kPortSides) {
    std::vector<double> rates;
    for (const HostId host : hosts_) rates.push_back(rate_of(ports[host.value], side));
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::ranges::nth_element(rates, middle);
    const SpeedClasses halves{.reference_bytes_per_s = *middle, .count = 2};
    speed_classes_[index_of(side)].reference_bytes_per_s = *std::ranges::max_element(rates);
    for (const HostId host : hosts_) {
      const double rate = rate_of(ports[host.value], side);
      if (halves.class_of(rate, is_fast(host) ? 0 : 1) > 0) fast[host.value] = false;
      set_rate(host, side, rate);
    }
  }
  for (const HostId host : hosts_) ranks_[host.value].is_fast = fast[host.value];
}

std::uint32_t PortRanks::class_of(HostId host, PortSide side) const {
  return ranks_[host.value].classes[index_of(side)];
}

}  // namespace surety::fabric
