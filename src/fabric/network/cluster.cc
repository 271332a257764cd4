#include "fabric/network/cluster.h"

#include <cstddef>

#include "base/check.h"

namespace surety::fabric {

Cluster::Cluster(const ClusterOptions& options, const WorkerPorts& workers)
    : classes_(options.classes), ranks_(options.classes, workers) {
  for (const auto& [worker, port] : workers) {
    SURETY_CHECK(port.out_bytes_per_s > 0 && port.in_bytes_per_s > 0);
    estimators_.try_emplace(worker, std::array{BandwidthEstimator(port.out_bytes_per_s),
                                               BandwidthEstimator(port.in_bytes_per_s)});
    capacities_.set_port(worker, port);
  }
  SURETY_CHECK(!estimators_.empty());
  list_aggregators();
}

void Cluster::observe(Time now, WorkerId worker, PortSide side, double bytes_per_s) {
  BandwidthEstimator& estimator = estimators_.at(worker)[static_cast<std::size_t>(side)];
  estimator.observe(now, bytes_per_s);
  set_rate(worker, side, estimator.at(now));
}

void Cluster::refresh(Time now) {
  for (const auto& [worker, sides] : estimators_) {
    for (const PortSide side : kPortSides) {
      set_rate(worker, side, sides[static_cast<std::size_t>(side)].at(now));
    }
  }
  ranks_.compare(capacities_.whole());
  list_aggregators();
}

void Cluster::set_rate(WorkerId worker, PortSide side, double bytes_per_s) {
  capacities_.set_rate(worker, side, bytes_per_s);
  ranks_.set_rate(worker, side, bytes_per_s);
}

double Cluster::rate(WorkerId worker, PortSide side) const {
  return rate_of(capacities_.whole()[worker.value], side);
}

void Cluster::list_aggregators() {
  aggregators_.clear();
  for (const auto& [worker, sides] : estimators_) {
    if (has_fast_port(worker)) aggregators_.push_back(worker);
  }
}

}  // namespace surety::fabric
