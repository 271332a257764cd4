#include "fabric/network/cluster.h"

#include <cstddef>

#include "base/check.h"

namespace surety::fabric {

Cluster::Cluster(ClusterOptions options) : options_(options), ranks_(options.classes) {}

void Cluster::join(HostId host, const Port& nominal) {
  SURETY_CHECK(!is_present(host));
  SURETY_CHECK(nominal.out_bytes_per_s > 0 && nominal.in_bytes_per_s > 0);
  if (host.value >= hosts_.size()) hosts_.resize(host.value + 1);
  Host& joined = hosts_[host.value];
  joined.is_present = true;
  for (const PortSide side : kPortSides) {
    joined.sides.emplace_back(rate_of(nominal, side), options_.estimator);
  }
  capacities_.set_port(host, nominal);
  ranks_.add(host, nominal);
  list_aggregators();
}

bool Cluster::is_present(HostId host) const {
  return host.value < hosts_.size() && hosts_[host.value].is_present;
}

void Cluster::observe(Time now, HostId host, PortSide side, double bytes_per_s) {
  SURETY_CHECK(is_present(host));
  BandwidthEstimator& estimator = hosts_[host.value].sides[static_cast<std::size_t>(side)];
  estimator.observe(now, bytes_per_s);
  set_rate(host, side, estimator.at(now));
}

void Cluster::refresh(Time now) {
  for (std::uint32_t id = 0; id < hosts_.size(); ++id) {
    if (!hosts_[id].is_present) continue;
    for (const PortSide side : kPortSides) {
      set_rate(HostId{id}, side, hosts_[id].sides[static_cast<std::size_t>(side)].at(now));
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
  for (std::uint32_t id = 0; id < hosts_.size(); ++id) {
    if (hosts_[id].is_present && has_fast_port(HostId{id})) aggregators_.push_back(HostId{id});
  }
}

}  // namespace surety::fabric
