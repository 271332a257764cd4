#include "fabric/lanes/planner.h"

#include "base/check.h"

namespace surety::fabric {
namespace {

// Part of the nominal rate; a port above it is used at its nominal rate. While others start,
// or wait for a third host, a port often carries two thirds of what it could. Shares that followed
// this would make it worse.
constexpr double kSlow = 0.5;

}  // namespace

std::optional<double> PortMeter::pass(Time now, std::uint64_t bytes, bool backlogged) {
  if (since_) bytes_ += bytes;
  std::optional<double> rate;
  if (since_ && bytes_ > 0 && now - *since_ >= window_) {
    rate = static_cast<double>(bytes_) / to_seconds(now - *since_);
    since_.reset();
  }
  if (!backlogged) since_.reset();
  if (backlogged && !since_) {
    since_ = now;
    bytes_ = 0;
  }
  return rate;
}

PortBook::PortBook(const std::vector<Port>& nominal) {
  for (const Port& port : nominal) {
    SURETY_CHECK(port.out_bytes_per_s > 0 && port.in_bytes_per_s > 0);
    estimates_.push_back(
        {BandwidthEstimator(port.out_bytes_per_s), BandwidthEstimator(port.in_bytes_per_s)});
  }
}

void PortBook::observe(Time now, HostId host, const PortSample& sample) {
  Estimate& estimate = estimates_.at(host.value);
  if (sample.out_bytes_per_s > 0) estimate.out.observe(now, sample.out_bytes_per_s);
  if (sample.in_bytes_per_s > 0) estimate.in.observe(now, sample.in_bytes_per_s);
}

std::vector<Port> PortBook::ports(Time now) const {
  const auto rate = [now](const BandwidthEstimator& estimator) {
    const double found = estimator.at(now);
    return found < kSlow * estimator.nominal() ? found : estimator.nominal();
  };
  std::vector<Port> ports;
  for (const Estimate& estimate : estimates_) {
    ports.push_back({.out_bytes_per_s = rate(estimate.out), .in_bytes_per_s = rate(estimate.in)});
  }
  return ports;
}

std::optional<SharePlan> BlockPlanner::plan(const std::vector<Port>& ports) {
  std::vector<Share> owners;
  for (const HostId owner : is_pull() ? operation_.sources : operation_.sinks) {
    owners.push_back({owner, 1});
  }
  return planner_.plan({.ports = ports, .racks = {}},
                       {.direction = is_pull() ? Direction::kPull : Direction::kPush,
                        .members = is_pull() ? operation_.sinks : operation_.sources,
                        .aggregators = hubs_,
                        .owners = owners});
}

Result<std::vector<Lane>> BlockPlanner::lanes(std::uint32_t block, const std::vector<Port>& ports) {
  if (operation_.sources == operation_.sinks) {
    return cut_block(operation_, block, all_reduce_shares(ports, operation_.sinks));
  }
  const auto found = plan(ports);
  if (!found) return fail(ErrorCode::kUnavailable, "a member or an owner has no bandwidth");
  const HostId owner = (is_pull() ? operation_.sources : operation_.sinks).front();
  return cut_block(operation_, block, hubs_of(*found, owner));
}

}  // namespace surety::fabric
