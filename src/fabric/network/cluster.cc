#include "fabric/network/cluster.h"

#include <cstddef>

#include "base/check.h"

namespace surety::fabric {

Cluster::Cluster(const ClusterOptions& options, const HostPorts& hosts)
    : classes_(options.classes), ranks_(options.classes, hosts) {
  for (const auto& [host, port] : hosts) {
    SURETY_CHECK(port.out_bytes_per_s > 0 && port.in_bytes_per_s > 0);
    estimators_.try_emplace(host,
                            std::array{BandwidthEstimator(port.out_bytes_per_s, options.estimator),
                                       BandwidthEstimator(port.in_bytes_per_s, options.estimator)});
    capacities_.set_port(host, port);
  }
  SURETY_CHECK(!estimators_.empty());
  list_aggregators();
}

void Cluster::observe(Time now, HostId host, PortSide side, double bytes_per_s) {
  BandwidthEstimator& estimator = estimators_.at(host)[static_cast<std::size_t>(side)];
  estimator.observe(now, bytes_per_s);
  set_rate(host, side, estimator.at(now));
}

void Cluster::refresh(Time now) {
  for (const auto& [host, sides] : estimators_) {
    for (const PortSide side : kPortSides) {
      set_rate(host, side, sides[static_cast<std::size_t>(side)].at(now));
    }
  }
  ranks_.compare(capacities_.whole());
  list_aggregators();
}

void Cluster::set_rate(HostId host, PortSide side, double bytes_per_s) {
  capacities_.set_rate(host, side, bytes_per_s);
  ranks_.set_rate(host, side, bytes_per_s);
}

double Cluster::rate(HostId host, PortSide side) const {
  return rate_of(capacities_.whole()[host.value], side);
}

void Cluster::list_aggregators() {
  aggregators_.clear();
  for (const auto& [host, sides] : estimators_) {
    if (has_fast_port(host)) aggregators_.push_back(host);
  }
}

}  // namespace surety::fabric
