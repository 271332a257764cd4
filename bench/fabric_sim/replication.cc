#include "bench/fabric_sim/replication.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::bench::sim {
namespace {

using namespace fabric;

double distance_between(std::span<const float> a, std::span<const float> b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    squares += off * off;
  }
  return std::sqrt(squares);
}

}  // namespace

Shadow::Shadow(std::vector<float> model, std::uint32_t blocks)
    : model_(std::move(model)), replica_(model_), shipped_(model_) {
  SURETY_CHECK(blocks >= 1 && blocks <= kBlocksMax);
  std::size_t first = 0;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::size_t count = model_.size() / blocks + (b < model_.size() % blocks ? 1 : 0);
    ranges_.push_back({first, count});
    first += count;
  }
}

double Shadow::apply(std::uint32_t block, std::span<const float> sum, bool mirrored) {
  const Range range = ranges_[block];
  SURETY_CHECK(sum.size() == range.count);
  SURETY_CHECK(!mirrored || (in_flight_ & block_bit(block)) == 0);
  for (std::size_t i = 0; i < range.count; ++i) {
    model_[range.first + i] += sum[i];
    if (mirrored) replica_[range.first + i] += sum[i];
  }
  return distance(block);
}

std::span<const float> Shadow::ship(std::uint32_t block) {
  SURETY_CHECK((in_flight_ & block_bit(block)) == 0);
  in_flight_ |= block_bit(block);
  const Range range = ranges_[block];
  std::copy_n(&model_[range.first], range.count, &shipped_[range.first]);
  return std::span(shipped_).subspan(range.first, range.count);
}

double Shadow::on_acknowledged(std::uint32_t block) {
  SURETY_CHECK((in_flight_ & block_bit(block)) != 0);
  in_flight_ &= ~block_bit(block);
  const Range range = ranges_[block];
  std::copy_n(&shipped_[range.first], range.count, &replica_[range.first]);
  return distance(block);
}

double Shadow::distance(std::uint32_t block) const {
  const double old = distance_between(model(block), replica(block));
  if ((in_flight_ & block_bit(block)) == 0) return old;
  const Range range = ranges_[block];
  const auto shipped = std::span(shipped_).subspan(range.first, range.count);
  return std::max(old, distance_between(model(block), shipped));
}

std::span<const float> Shadow::model(std::uint32_t block) const {
  return std::span(model_).subspan(ranges_[block].first, ranges_[block].count);
}

std::span<const float> Shadow::replica(std::uint32_t block) const {
  return std::span(replica_).subspan(ranges_[block].first, ranges_[block].count);
}

ReplicationPolicy::ReplicationPolicy(ReplicationOptions options, std::uint32_t blocks)
    : options_(options), blocks_(blocks) {
  SURETY_CHECK(options.mode != ReplicationMode::kBounded || options.divergence_max > 0);
}

RoundReplication ReplicationPolicy::decide(std::uint32_t block, double norms) const {
  SURETY_CHECK(norms >= 0);
  if (options_.mode == ReplicationMode::kNone) return RoundReplication::kPlain;
  const Block& here = blocks_[block];
  if (options_.mode == ReplicationMode::kBounded) {
    // This is exact except for rounding in the squares, so the bound is lowered a little.
    const double others = divergence() * divergence() -
                          (here.distance + here.reserved) * (here.distance + here.reserved);
    const double after = here.distance + here.reserved + norms;
    const double bound = options_.divergence_max * (1 - 1e-6);
    if (std::max(0.0, others) + after * after <= bound * bound) return RoundReplication::kPlain;
  }
  return here.is_in_flight ? RoundReplication::kWait : RoundReplication::kMirrored;
}

void ReplicationPolicy::start(std::uint32_t block, double norms, RoundReplication how) {
  SURETY_CHECK(how != RoundReplication::kWait);
  if (how == RoundReplication::kMirrored) {
    SURETY_CHECK(!blocks_[block].is_in_flight);
    ++blocks_[block].mirrored;
  } else {
    blocks_[block].reserved += norms;
  }
}

void ReplicationPolicy::end(std::uint32_t block, double norms, RoundReplication how) {
  Block& here = blocks_[block];
  if (how == RoundReplication::kMirrored) {
    SURETY_CHECK(here.mirrored > 0);
    --here.mirrored;
  } else {
    here.reserved = std::max(0.0, here.reserved - norms);
  }
}

void ReplicationPolicy::on_committed(std::uint32_t block, double norms, RoundReplication how,
                                     double distance) {
  end(block, norms, how);
  blocks_[block].distance = distance;
}

std::optional<std::uint32_t> ReplicationPolicy::next_shipment() const {
  if (options_.mode != ReplicationMode::kBounded) return std::nullopt;
  if (divergence() <= options_.ship_above * options_.divergence_max) return std::nullopt;
  std::optional<std::uint32_t> furthest;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].is_in_flight) return std::nullopt;
    if (blocks_[b].mirrored > 0 || blocks_[b].distance <= 0) continue;
    if (!furthest || blocks_[b].distance > blocks_[*furthest].distance) furthest = b;
  }
  return furthest;
}

void ReplicationPolicy::on_shipped(std::uint32_t block) {
  SURETY_CHECK(!blocks_[block].is_in_flight && blocks_[block].mirrored == 0);
  blocks_[block].is_in_flight = true;
}

void ReplicationPolicy::on_acknowledged(std::uint32_t block, double distance) {
  SURETY_CHECK(blocks_[block].is_in_flight);
  blocks_[block].is_in_flight = false;
  blocks_[block].distance = distance;
}

double ReplicationPolicy::divergence() const {
  double squares = 0;
  for (const Block& block : blocks_) {
    squares += (block.distance + block.reserved) * (block.distance + block.reserved);
  }
  return std::sqrt(squares);
}

}  // namespace surety::bench::sim
