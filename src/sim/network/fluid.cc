#include "sim/network/fluid.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace surety::sim {
namespace {

constexpr double kDone = 1e-3;  // Bytes; allows for rounding over millions of bytes.
// The part of a bucket that must be full before it opens again. A smaller part would only divide
// the same bytes into more pieces.
constexpr double kOpens = 1.0 / 16;

}  // namespace

FluidNetwork::FluidNetwork(std::size_t hosts, std::size_t racks)
    : hosts_(hosts),
      capacity_(2 * (hosts + racks), std::numeric_limits<double>::infinity()),
      carried_(capacity_.size()) {}

std::size_t FluidNetwork::index_of(const fabric::Resource& resource) const {
  const bool rack = resource.kind == fabric::Resource::Kind::kRackOut ||
                    resource.kind == fabric::Resource::Kind::kRackIn;
  const bool in = resource.kind == fabric::Resource::Kind::kIn ||
                  resource.kind == fabric::Resource::Kind::kRackIn;
  return 2 * (resource.index + (rack ? hosts_ : 0)) + (in ? 1 : 0);
}

void FluidNetwork::set_capacity(const fabric::Resource& resource, double bytes_per_s) {
  capacity_[index_of(resource)] = bytes_per_s;
  has_stale_rates_ = true;
}

double FluidNetwork::capacity(const fabric::Resource& resource) const {
  return capacity_[index_of(resource)];
}

void FluidNetwork::set_bucket(const fabric::Resource& resource, double bytes,
                              double line_bytes_per_s) {
  SURETY_CHECK(bytes > 0 && line_bytes_per_s > capacity(resource));
  buckets_[index_of(resource)] = {bytes, line_bytes_per_s, bytes};
  has_stale_rates_ = true;
}

std::optional<double> FluidNetwork::bucket_turns_s(std::size_t resource) const {
  const Bucket& bucket = buckets_.at(resource);
  const double grows = capacity_[resource] - used_[resource];
  // The resource is unused, so its bucket changes no rate.
  if (used_[resource] == 0) return std::nullopt;
  if (bucket.open && grows < 0) return bucket.left / -grows;
  if (!bucket.open && grows > 0) return (kOpens * bucket.bytes - bucket.left) / grows;
  return std::nullopt;
}

void FluidNetwork::fill_buckets(double seconds) {
  for (auto& [resource, bucket] : buckets_) {
    bucket.left += seconds * (capacity_[resource] - used_[resource]);
    bucket.left = std::clamp(bucket.left, 0.0, bucket.bytes);
    const bool open = bucket.left > (bucket.open ? kDone : kOpens * bucket.bytes - kDone);
    has_stale_rates_ = has_stale_rates_ || open != bucket.open;
    bucket.open = open;
  }
}

JobId FluidNetwork::start(std::span<const fabric::Load> loads, double bytes, double weight) {
  SURETY_CHECK(bytes > 0 && weight > 0 && !loads.empty());
  Job job{{}, bytes, weight, 0, false};
  for (const fabric::Load& load : loads)
    job.uses.push_back({index_of(load.resource), load.per_byte});
  jobs_.emplace(++last_, std::move(job));
  has_stale_rates_ = true;
  return last_;
}

void FluidNetwork::stop(JobId job) {
  jobs_.erase(job);
  has_stale_rates_ = true;
}

// Progressive filling: all rates grow together, each by its weight, until a resource is full. The
// jobs of that resource keep their rates, and the others continue to grow.
// O(jobs * (loads + resources)).
void FluidNetwork::share_out() {
  has_stale_rates_ = false;
  std::vector<double> whole = capacity_;
  for (const auto& [resource, bucket] : buckets_) {
    if (bucket.open) whole[resource] = bucket.line;
  }
  std::vector<double> left = whole;
  std::vector<double> demand(capacity_.size());
  std::size_t growing = jobs_.size();
  for (auto& [id, job] : jobs_) {
    job.is_frozen = false;
    job.rate = 0;
  }
  while (growing > 0) {
    std::fill(demand.begin(), demand.end(), 0.0);
    for (const auto& [id, job] : jobs_) {
      if (job.is_frozen) continue;
      for (const Use& use : job.uses) demand[use.resource] += use.per_byte * job.weight;
    }
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < left.size(); ++r) {
      if (demand[r] > 0) level = std::min(level, std::max(0.0, left[r]) / demand[r]);
    }
    SURETY_CHECK(level < std::numeric_limits<double>::infinity());
    for (std::size_t r = 0; r < left.size(); ++r) {
      if (demand[r] > 0) left[r] -= level * demand[r];
    }
    std::size_t frozen = 0;
    for (auto& [id, job] : jobs_) {
      if (job.is_frozen) continue;
      job.rate += level * job.weight;
      job.is_frozen = std::any_of(job.uses.begin(), job.uses.end(), [&](const Use& use) {
        return left[use.resource] <= 1e-9 * whole[use.resource];
      });
      frozen += job.is_frozen ? 1 : 0;
    }
    SURETY_CHECK(frozen > 0);
    growing -= frozen;
  }
  used_.assign(capacity_.size(), 0.0);
  for (const auto& [id, job] : jobs_) {
    for (const Use& use : job.uses) used_[use.resource] += use.per_byte * job.rate;
  }
}

std::optional<double> FluidNetwork::next_end_s() {
  if (has_stale_rates_) share_out();
  std::optional<double> first;
  for (const auto& [id, job] : jobs_) {
    if (job.rate <= 0) continue;
    const double end_s = std::max(0.0, job.left) / job.rate;
    if (!first || end_s < *first) first = end_s;
  }
  for (const auto& [resource, bucket] : buckets_) {
    const auto turns_s = bucket_turns_s(resource);
    if (turns_s && (!first || *turns_s < *first)) first = std::max(0.0, *turns_s);
  }
  return first;
}

std::vector<JobId> FluidNetwork::advance(double seconds) {
  if (has_stale_rates_) share_out();
  std::vector<JobId> ended;
  for (auto& [id, job] : jobs_) {
    job.left -= seconds * job.rate;
    for (const Use& use : job.uses) carried_[use.resource] += seconds * job.rate * use.per_byte;
    if (job.left <= std::max(kDone, 1e-9 * job.rate)) ended.push_back(id);
  }
  fill_buckets(seconds);
  for (const JobId id : ended) stop(id);
  return ended;
}

double FluidNetwork::rate(JobId job) {
  if (has_stale_rates_) share_out();
  return jobs_.at(job).rate;
}

}  // namespace surety::sim
