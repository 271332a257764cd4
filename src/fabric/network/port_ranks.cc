#include "fabric/network/port_ranks.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace surety::fabric {
namespace {

std::size_t index_of(PortSide side) { return static_cast<std::size_t>(side); }

}  // namespace

PortRanks::PortRanks(std::uint32_t classes) {
  for (SpeedClasses& speed : speed_classes_) speed.count = classes;
}

void PortRanks::add(HostId host, const Port& port) {
  if (host.value >= ranks_.size()) ranks_.resize(host.value + 1);
  Rank& rank = ranks_[host.value];
  SURETY_CHECK(!rank.is_present);
  rank = {.is_present = true};
  for (const PortSide side : kPortSides) {
    const double rate = rate_of(port, side);
    SpeedClasses& speed = speed_classes_[index_of(side)];
    speed.reference_bytes_per_s = std::max(speed.reference_bytes_per_s, rate);
    rank.classes[index_of(side)] = speed.class_of(rate);
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
    for (std::uint32_t id = 0; id < ranks_.size(); ++id) {
      if (ranks_[id].is_present) rates.push_back(rate_of(ports[id], side));
    }
    if (rates.empty()) break;
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::ranges::nth_element(rates, middle);
    const SpeedClasses halves{.reference_bytes_per_s = *middle, .count = 2};
    speed_classes_[index_of(side)].reference_bytes_per_s = *std::ranges::max_element(rates);
    for (std::uint32_t id = 0; id < ranks_.size(); ++id) {
      if (!ranks_[id].is_present) continue;
      const double rate = rate_of(ports[id], side);
      if (halves.class_of(rate, ranks_[id].is_fast ? 0 : 1) > 0) fast[id] = false;
      set_rate(HostId{id}, side, rate);
    }
  }
  for (std::uint32_t id = 0; id < ranks_.size(); ++id) ranks_[id].is_fast = fast[id];
}

std::uint32_t PortRanks::class_of(HostId host, PortSide side) const {
  return ranks_[host.value].classes[index_of(side)];
}

}  // namespace surety::fabric
