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

std::size_t FluidNetwork::index_of(const Link& link) const {
  const bool in = link.kind == Link::Kind::kIn || link.kind == Link::Kind::kRackIn;
  return 2 * (link.index + (is_of_rack(link) ? hosts_ : 0)) + (in ? 1 : 0);
}

void FluidNetwork::set_capacity(const Link& link, double bytes_per_s) {
  capacity_[index_of(link)] = bytes_per_s;
  has_stale_rates_ = true;
}

double FluidNetwork::capacity(const Link& link) const { return capacity_[index_of(link)]; }

void FluidNetwork::set_bucket(const Link& link, double bytes, double line_bytes_per_s) {
  SURETY_CHECK(bytes > 0 && line_bytes_per_s > capacity(link));
  buckets_[index_of(link)] = {bytes, line_bytes_per_s, bytes};
  has_stale_rates_ = true;
}

std::optional<double> FluidNetwork::bucket_turns_s(std::size_t link) const {
  const Bucket& bucket = buckets_.at(link);
  const double grows = capacity_[link] - used_[link];
  // The link is unused, so its bucket changes no rate.
  if (used_[link] == 0) return std::nullopt;
  if (bucket.open && grows < 0) return bucket.left / -grows;
  if (!bucket.open && grows > 0) return (kOpens * bucket.bytes - bucket.left) / grows;
  return std::nullopt;
}

void FluidNetwork::fill_buckets(double seconds) {
  for (auto& [link, bucket] : buckets_) {
    bucket.left += seconds * (capacity_[link] - used_[link]);
    bucket.left = std::clamp(bucket.left, 0.0, bucket.bytes);
    const bool open = bucket.left > (bucket.open ? kDone : kOpens * bucket.bytes - kDone);
    has_stale_rates_ = has_stale_rates_ || open != bucket.open;
    bucket.open = open;
  }
}

JobId FluidNetwork::start(std::span<const LinkLoad> loads, double bytes) {
  SURETY_CHECK(bytes > 0 && !loads.empty());
  Job job{{}, bytes, 0, false};
  for (const LinkLoad& load : loads) job.uses.push_back({index_of(load.link), load.per_byte});
  jobs_.emplace(++last_, std::move(job));
  has_stale_rates_ = true;
  return last_;
}

void FluidNetwork::stop(JobId job) {
  jobs_.erase(job);
  has_stale_rates_ = true;
}

// Progressive filling: all rates grow together until a link is full. The
// jobs of that link keep their rates, and the others continue to grow.
// O(jobs * (loads + links)).
void FluidNetwork::share_out() {
  has_stale_rates_ = false;
  std::vector<double> whole = capacity_;
  for (const auto& [link, bucket] : buckets_) {
    if (bucket.open) whole[link] = bucket.line;
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
      for (const Use& use : job.uses) demand[use.link] += use.per_byte;
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
      job.rate += level;
      job.is_frozen = std::any_of(job.uses.begin(), job.uses.end(), [&](const Use& use) {
        return left[use.link] <= 1e-9 * whole[use.link];
      });
      frozen += job.is_frozen ? 1 : 0;
    }
    SURETY_CHECK(frozen > 0);
    growing -= frozen;
  }
  used_.assign(capacity_.size(), 0.0);
  for (const auto& [id, job] : jobs_) {
    for (const Use& use : job.uses) used_[use.link] += use.per_byte * job.rate;
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
  for (const auto& [link, bucket] : buckets_) {
    const auto turns_s = bucket_turns_s(link);
    if (turns_s && (!first || *turns_s < *first)) first = std::max(0.0, *turns_s);
  }
  return first;
}

std::vector<JobId> FluidNetwork::advance(double seconds) {
  if (has_stale_rates_) share_out();
  std::vector<JobId> ended;
  for (auto& [id, job] : jobs_) {
    job.left -= seconds * job.rate;
    for (const Use& use : job.uses) carried_[use.link] += seconds * job.rate * use.per_byte;
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
