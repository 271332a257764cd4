#include "fabric/network/port_ranks.h"

#include <algorithm>
#include <cstddef>

namespace surety::fabric {
namespace {

std::size_t index_of(PortSide side) { return static_cast<std::size_t>(side); }

}  // namespace

PortRanks::PortRanks(std::uint32_t classes, const WorkerPorts& workers) {
  for (const PortSide side : kPortSides) {
    SpeedClasses& speed = speed_classes_[index_of(side)];
    speed.count = classes;
    for (const auto& [worker, port] : workers) {
      speed.reference_bytes_per_s = std::max(speed.reference_bytes_per_s, rate_of(port, side));
    }
  }
  for (const auto& [worker, port] : workers) {
    workers_.push_back(worker);
    ranks_.resize(worker.value + 1);  // Workers are in ascending order.
    for (const PortSide side : kPortSides) {
      ranks_[worker.value].classes[index_of(side)] =
          speed_classes_[index_of(side)].class_of(rate_of(port, side));
    }
  }
}

void PortRanks::set_rate(WorkerId worker, PortSide side, double bytes_per_s) {
  std::uint32_t& rank = ranks_[worker.value].classes[index_of(side)];
  rank = speed_classes_[index_of(side)].class_of(bytes_per_s, rank);
}

void PortRanks::compare(std::span<const Port> ports) {
  std::vector<bool> fast(ranks_.size(), true);
  for (const PortSide side : kPortSides) {
    std::vector<double> rates;
    for (const WorkerId worker : workers_) rates.push_back(rate_of(ports[worker.value], side));
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::ranges::nth_element(rates, middle);
    const SpeedClasses halves{.reference_bytes_per_s = *middle, .count = 2};
    speed_classes_[index_of(side)].reference_bytes_per_s = *std::ranges::max_element(rates);
    for (const WorkerId worker : workers_) {
      const double rate = rate_of(ports[worker.value], side);
      if (halves.class_of(rate, is_fast(worker) ? 0 : 1) > 0) fast[worker.value] = false;
      set_rate(worker, side, rate);
    }
  }
  for (const WorkerId worker : workers_) ranks_[worker.value].is_fast = fast[worker.value];
}

std::uint32_t PortRanks::class_of(WorkerId worker, PortSide side) const {
  return ranks_[worker.value].classes[index_of(side)];
}

}  // namespace surety::fabric
