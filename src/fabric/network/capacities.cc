#include "fabric/network/capacities.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// Sets the rates of `spare` to the free rates.
void subtract(const Port& whole, const Port& reserved, Port& spare) {
  spare.out_bytes_per_s = std::max(0.0, whole.out_bytes_per_s - reserved.out_bytes_per_s);
  spare.in_bytes_per_s = std::max(0.0, whole.in_bytes_per_s - reserved.in_bytes_per_s);
}

}  // namespace

Capacities::Capacities(std::vector<Port> racks)
    : racks_(std::move(racks)), spare_of_racks_(racks_), reserved_of_racks_(racks_.size()) {}

void Capacities::set_port(HostId host, const Port& port) {
  SURETY_CHECK(racks_.empty() || port.rack < racks_.size());
  if (host.value >= whole_.size()) {
    const std::size_t count = host.value + 1;
    whole_.resize(count);
    spare_.resize(count);
    reserved_.resize(count);
  }
  whole_[host.value] = port;
  spare_[host.value].rack = port.rack;
  update_spare(host.value);
}

void Capacities::set_rate(HostId host, PortSide side, double bytes_per_s) {
  rate_of(whole_[host.value], side) = bytes_per_s;
  update_spare(host.value);
}

void Capacities::update_spare(std::uint32_t host) {
  subtract(whole_[host], reserved_[host], spare_[host]);
}

double Capacities::rate(const Resource& resource) const {
  const Port& port = (of_rack(resource) ? racks_ : whole_)[resource.index];
  return rate_of(port, side_of(resource));
}

void Capacities::reserve(std::span<const Load> loads, double bytes_per_s) {
  for (const Load& load : loads) {
    const Resource& resource = load.resource;
    const double change = load.per_byte * bytes_per_s;
    Port& port = (of_rack(resource) ? reserved_of_racks_ : reserved_)[resource.index];
    double& promise = rate_of(port, side_of(resource));
    promise += change;
    // The remainder is a rounding error of sums and differences.
    if (promise < 1e-9 * std::abs(change)) promise = 0;
    if (!of_rack(resource)) update_spare(resource.index);
  }
  for (std::size_t r = 0; r < racks_.size(); ++r) {
    subtract(racks_[r], reserved_of_racks_[r], spare_of_racks_[r]);
  }
}

double Capacities::most_reserved(std::span<const Load> loads) const {
  double most = 0;
  for (const Load& load : loads) {
    const Resource& resource = load.resource;
    const Port& port = (of_rack(resource) ? reserved_of_racks_ : reserved_)[resource.index];
    most = std::max(most, rate_of(port, side_of(resource)) / rate(resource));
  }
  return most;
}

}  // namespace surety::fabric
