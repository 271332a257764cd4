#include "bench/lanes/planner.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace surety::bench {
namespace {

using namespace fabric;

// Part of the nominal rate; a port above it is used at its nominal rate. While others start, or
// wait for a third host, a port often has two thirds of its possible rate. Shares that followed
// this rate would increase the imbalance.
constexpr double kSlow = 0.5;

}  // namespace

std::vector<Share> all_reduce_shares(const std::vector<Port>& ports,
                                     const std::vector<WorkerId>& members) {
  std::vector<double> capacity;
  for (const WorkerId member : members) {
    const Port& port = ports.at(member.value);
    capacity.push_back(std::min(port.out_bytes_per_s, port.in_bytes_per_s));
    SURETY_CHECK(capacity.back() > 0);
  }
  std::vector<Share> shares;
  for (const WorkerId member : members) shares.push_back({member, 1.0 / double(members.size())});
  if (members.size() <= 2) return shares;

  // The m fastest members have shares. Their sum of 1 gives t, which is at least the time that the
  // slowest member needs for its own vector.
  std::vector<double> fastest = capacity;
  std::sort(fastest.begin(), fastest.end(), std::greater<>());
  const double others = static_cast<double>(members.size()) - 2;
  double sum = 0;
  double t = 0;
  for (std::size_t m = 1; m <= fastest.size(); ++m) {
    sum += fastest[m - 1];
    t = (others + static_cast<double>(m)) / sum;
    if (m == fastest.size() || t * fastest[m] <= 1) break;
  }
  t = std::max(t, 1 / fastest.back());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i].fraction = std::max(0.0, (t * capacity[i] - 1) / others);
  }
  return shares;
}

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

PortEstimates::PortEstimates(const std::vector<Port>& nominal) {
  for (const Port& port : nominal) {
    SURETY_CHECK(port.out_bytes_per_s > 0 && port.in_bytes_per_s > 0);
    estimates_.push_back(
        {port, BandwidthEstimator(port.out_bytes_per_s), BandwidthEstimator(port.in_bytes_per_s)});
  }
}

void PortEstimates::observe(Time now, WorkerId host, const PortSample& sample) {
  Estimate& estimate = estimates_.at(host.value);
  if (sample.out_bytes_per_s > 0) estimate.out.observe(now, sample.out_bytes_per_s);
  if (sample.in_bytes_per_s > 0) estimate.in.observe(now, sample.in_bytes_per_s);
}

std::vector<Port> PortEstimates::ports(Time now) const {
  const auto rate = [now](double nominal, const BandwidthEstimator& estimator) {
    const double found = estimator.at(now);
    return found < kSlow * nominal ? found : nominal;
  };
  std::vector<Port> ports;
  for (const Estimate& estimate : estimates_) {
    ports.push_back({.out_bytes_per_s = rate(estimate.nominal.out_bytes_per_s, estimate.out),
                     .in_bytes_per_s = rate(estimate.nominal.in_bytes_per_s, estimate.in)});
  }
  return ports;
}

std::optional<SharePlan> BlockPlanner::plan(const std::vector<Port>& ports) {
  // If there are several owners, each receives or has the whole block. It is planned for the first.
  const Share owners[] = {{(is_pull() ? operation_.sources : operation_.sinks).front(), 1}};
  return planner_.plan(ports, {.direction = is_pull() ? Direction::kPull : Direction::kPush,
                               .members = is_pull() ? operation_.sinks : operation_.sources,
                               .aggregators = hubs_,
                               .owners = owners});
}

Result<std::vector<Lane>> BlockPlanner::lanes(std::uint32_t block, const std::vector<Port>& ports) {
  const Slice slice{.first = 0, .count = slice_of(operation_, block).count};
  if (operation_.sources == operation_.sinks) {
    return cut_lanes(slice, all_reduce_shares(ports, operation_.sinks));
  }
  const auto found = plan(ports);
  if (!found) return fail(ErrorCode::kUnavailable, "a member or an owner has no bandwidth");
  const WorkerId owner = (is_pull() ? operation_.sources : operation_.sinks).front();
  return cut_lanes(slice, hubs_of(*found, owner));
}

}  // namespace surety::bench
