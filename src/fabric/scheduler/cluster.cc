#include "fabric/scheduler/cluster.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::fabric {
namespace {

bool of_rack(const Resource& resource) {
  return resource.kind == Resource::Kind::kRackOut || resource.kind == Resource::Kind::kRackIn;
}

PortSide side_of(const Resource& resource) {
  const bool out =
      resource.kind == Resource::Kind::kOut || resource.kind == Resource::Kind::kRackOut;
  return out ? PortSide::kOut : PortSide::kIn;
}

}  // namespace

Cluster::Cluster(ClusterOptions options)
    : options_(std::move(options)),
      racks_(options_.racks),
      spare_of_racks_(options_.racks),
      reserved_of_racks_(options_.racks.size()) {
  for (SpeedClasses& classes : speed_classes_) classes.count = options_.classes;
}

void Cluster::join(HostId host, const Port& nominal, bool aggregates) {
  SURETY_CHECK(!is_present(host));
  SURETY_CHECK(nominal.out_bytes_per_s > 0 && nominal.in_bytes_per_s > 0);
  SURETY_CHECK(racks_.empty() || nominal.rack < racks_.size());
  if (host.value >= hosts_.size()) {
    const std::size_t count = host.value + 1;
    hosts_.resize(count);
    whole_.resize(count);
    spare_.resize(count);
    reserved_.resize(count);
  }
  Host& joined = hosts_[host.value];
  joined = {.is_present = true, .aggregates = aggregates};
  whole_[host.value] = nominal;
  spare_[host.value].rack = nominal.rack;
  for (const PortSide side : {PortSide::kOut, PortSide::kIn}) {
    const double rate = rate_of(whole_[host.value], side);
    joined.sides.emplace_back(rate, options_.estimator);
    double& reference = classes_of(side).reference_bytes_per_s;
    reference = std::max(reference, rate);
    joined.classes[static_cast<std::size_t>(side)] = classes_of(side).class_of(rate);
  }
  update_spare(host.value);
  list_aggregators();
}

void Cluster::leave(HostId host) {
  SURETY_CHECK(is_present(host));
  hosts_[host.value] = {};
  whole_[host.value] = {};
  update_spare(host.value);
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
    for (const PortSide side : {PortSide::kOut, PortSide::kIn}) {
      set_rate(HostId{id}, side, hosts_[id].sides[static_cast<std::size_t>(side)].at(now));
    }
  }
  compare();
  list_aggregators();
}

void Cluster::compare() {
  std::vector<bool> quick(hosts_.size(), true);
  for (const PortSide side : {PortSide::kOut, PortSide::kIn}) {
    std::vector<double> rates;
    for (std::uint32_t id = 0; id < hosts_.size(); ++id) {
      if (hosts_[id].is_present) rates.push_back(rate(HostId{id}, side));
    }
    if (rates.empty()) break;
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::ranges::nth_element(rates, middle);
    const SpeedClasses halves{.reference_bytes_per_s = *middle, .count = 2};
    classes_of(side).reference_bytes_per_s = *std::ranges::max_element(rates);
    for (std::uint32_t id = 0; id < hosts_.size(); ++id) {
      if (!hosts_[id].is_present) continue;
      const std::uint32_t before = hosts_[id].has_fast_port ? 0 : 1;
      if (halves.class_of(rate(HostId{id}, side), before) > 0) quick[id] = false;
      classify(HostId{id}, side);
    }
  }
  for (std::uint32_t id = 0; id < hosts_.size(); ++id) hosts_[id].has_fast_port = quick[id];
}

void Cluster::classify(HostId host, PortSide side) {
  std::uint32_t& speed = hosts_[host.value].classes[static_cast<std::size_t>(side)];
  speed = classes_of(side).class_of(rate(host, side), speed);
}

void Cluster::set_rate(HostId host, PortSide side, double bytes_per_s) {
  rate_of(whole_[host.value], side) = bytes_per_s;
  classify(host, side);
  update_spare(host.value);
}

double Cluster::rate(HostId host, PortSide side) const { return rate_of(whole_[host.value], side); }

std::uint32_t Cluster::speed_class(HostId host, PortSide side) const {
  return hosts_[host.value].classes[static_cast<std::size_t>(side)];
}

double& Cluster::promised(const Resource& resource) {
  Port& port = (of_rack(resource) ? reserved_of_racks_ : reserved_)[resource.index];
  return rate_of(port, side_of(resource));
}

void Cluster::reserve(std::span<const Load> loads, double bytes_per_s) {
  for (const Load& load : loads) {
    const double change = load.per_byte * bytes_per_s;
    double& promise = promised(load.resource);
    promise += change;
    // What is left is a rounding error of sums and differences.
    if (promise < 1e-9 * std::abs(change)) promise = 0;
    if (load.resource.kind == Resource::Kind::kOut || load.resource.kind == Resource::Kind::kIn) {
      update_spare(load.resource.index);
    }
  }
  for (std::size_t r = 0; r < racks_.size(); ++r) {
    const auto left = [](double whole, double reserved) { return std::max(0.0, whole - reserved); };
    spare_of_racks_[r].out_bytes_per_s =
        left(racks_[r].out_bytes_per_s, reserved_of_racks_[r].out_bytes_per_s);
    spare_of_racks_[r].in_bytes_per_s =
        left(racks_[r].in_bytes_per_s, reserved_of_racks_[r].in_bytes_per_s);
  }
}

void Cluster::release(std::span<const Load> loads, double bytes_per_s) {
  reserve(loads, -bytes_per_s);
}

void Cluster::update_spare(std::uint32_t host) {
  const Port& whole = whole_[host];
  const Port& reserved = reserved_[host];
  spare_[host].out_bytes_per_s = std::max(0.0, whole.out_bytes_per_s - reserved.out_bytes_per_s);
  spare_[host].in_bytes_per_s = std::max(0.0, whole.in_bytes_per_s - reserved.in_bytes_per_s);
}

double Cluster::capacity(const Resource& resource) const {
  const Port& port = (of_rack(resource) ? racks_ : whole_)[resource.index];
  return rate_of(port, side_of(resource));
}

double Cluster::most_reserved(std::span<const Load> loads) const {
  double most = 0;
  for (const Load& load : loads) {
    const Resource& resource = load.resource;
    const Port& port = (of_rack(resource) ? reserved_of_racks_ : reserved_)[resource.index];
    most = std::max(most, rate_of(port, side_of(resource)) / capacity(resource));
  }
  return most;
}

void Cluster::list_aggregators() {
  aggregators_.clear();
  for (std::uint32_t id = 0; id < hosts_.size(); ++id) {
    if (hosts_[id].aggregates && has_fast_port(HostId{id})) aggregators_.push_back(HostId{id});
  }
}

}  // namespace surety::fabric
