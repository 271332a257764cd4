#include "fabric/lanes/executor.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "fabric/allreduce/reduce.h"

namespace surety::fabric {
namespace {

bool contains(const std::vector<HostId>& hosts, HostId host) {
  return std::binary_search(hosts.begin(), hosts.end(), host);
}

template <typename T>
std::span<T> part_of(std::span<T> whole, Slice slice) {
  return whole.subspan(slice.first, slice.count);
}

// Number of values summed at a time, so that they stay in the L1 cache.
constexpr std::size_t kAtOnce = 2048;

}  // namespace

std::uint32_t encode_step(LaneStep step) {
  SURETY_CHECK(step.block < kLaneBlocksMax && step.lane < kLanesMax);
  return (step.block * kLanesMax + step.lane) * 2 + (step.kind == TransferKind::kResult ? 1 : 0);
}

LaneStep decode_step(std::uint32_t step) {
  return {.block = step / 2 / kLanesMax,
          .lane = step / 2 % kLanesMax,
          .kind = step % 2 == 1 ? TransferKind::kResult : TransferKind::kContribution};
}

LaneExecutor::LaneExecutor(Operation operation, HostId self, std::span<const float> input,
                           std::span<float> output)
    : operation_(std::move(operation)),
      self_(self),
      input_(input),
      output_(output),
      is_source_(contains(operation_.sources, self)),
      is_recipient_(is_recipient(operation_, self)) {
  SURETY_CHECK(!operation_.sources.empty() && !operation_.sinks.empty());
  for (const HostId mirror : operation_.mirrors) SURETY_CHECK(!contains(operation_.sinks, mirror));
  SURETY_CHECK(operation_.blocks >= 1 && operation_.blocks <= kLaneBlocksMax);
  SURETY_CHECK(!is_source_ || input_.size() == operation_.elements);
  SURETY_CHECK(!is_recipient_ || output_.size() == operation_.elements);
}

Result<void> LaneExecutor::start(std::uint32_t b, const std::vector<Lane>& lanes) {
  if (b != started_ || b >= operation_.blocks) {
    return fail(ErrorCode::kInvalidInput, "found block {} of {}, expected block {}", b,
                operation_.blocks, started_);
  }
  if (auto wrong = lane_error(operation_, b, lanes); !wrong.empty()) {
    return fail(ErrorCode::kInvalidInput, "block {}: {}", b, wrong);
  }
  Block& block = blocks_[b];
  block.lanes = lanes;
  ++started_;
  plan_transfers(b, block);
  SURETY_TRY(add_own(block, b));
  if (auto early = early_.extract(b)) {
    for (auto& [key, bytes] : early.mapped()) {
      staged_bytes_ -= bytes.size();
      const auto taken = take(block, key.first, key.second, std::move(bytes));
      // An unexpected message is dropped, as if it arrived now.
      if (!taken && taken.error().code != ErrorCode::kInvalidInput) return taken;
    }
  }
  drop_finished();
  return {};
}

void LaneExecutor::plan_transfers(std::uint32_t b, Block& block) {
  std::vector<Transfer> ours;
  for (const Transfer& transfer : transfers_of(operation_, block.lanes)) {
    const LaneStep step{b, transfer.step, transfer.kind};
    const bool contributes = transfer.kind == TransferKind::kContribution;
    if (transfer.from == self_) ++block.to_send;
    if (transfer.from == self_ && contributes) {
      queues_[transfer.to].contributions.push_back(
          {transfer.to, step, std::as_bytes(part_of(input_, transfer.slice))});
    }
    if (transfer.to != self_) continue;
    const auto source =
        std::lower_bound(operation_.sources.begin(), operation_.sources.end(), transfer.from);
    block.missing[{transfer.from, step}] = {
        transfer.slice, static_cast<std::size_t>(source - operation_.sources.begin())};
  }
  for (std::uint32_t l = 0; l < block.lanes.size(); ++l) {
    if (block.lanes[l].hub == self_) block.summing[l].slice = block.lanes[l].slice;
  }
}

Result<void> LaneExecutor::add_own(Block& block, std::uint32_t b) {
  for (std::uint32_t l = 0; l < block.lanes.size(); ++l) {
    if (block.lanes[l].hub == self_) SURETY_TRY(sum_in_order(block, b, l));
  }
  return {};
}

std::optional<LaneExecutor::Send> LaneExecutor::next_send(HostId to) {
  const auto at = queues_.find(to);
  if (at == queues_.end()) return std::nullopt;
  auto& queue = at->second.results.empty() ? at->second.contributions : at->second.results;
  Send send = std::move(queue.front());
  queue.pop_front();
  if (at->second.results.empty() && at->second.contributions.empty()) queues_.erase(at);
  return send;
}

std::vector<HostId> LaneExecutor::destinations() const {
  std::vector<HostId> hosts;
  for (const auto& [host, queue] : queues_) hosts.push_back(host);
  return hosts;
}

void LaneExecutor::sent(LaneStep step) {
  const auto at = blocks_.find(step.block);
  SURETY_CHECK(at != blocks_.end() && at->second.to_send > 0);
  --at->second.to_send;
  drop_finished();
}

Result<void> LaneExecutor::receive(HostId from, LaneStep step, std::vector<std::byte> bytes) {
  if (step.block >= started_) return keep_early(from, step, std::move(bytes));
  const auto at = blocks_.find(step.block);
  if (at == blocks_.end()) {
    return fail(ErrorCode::kInvalidInput, "host {}, block {}, lane {}: the block is finished", from,
                step.block, step.lane);
  }
  auto taken = take(at->second, from, step, std::move(bytes));
  drop_finished();
  return taken;
}

Result<void> LaneExecutor::keep_early(HostId from, LaneStep step, std::vector<std::byte> bytes) {
  const std::uint32_t end = std::min(operation_.blocks, blocks_finished() + kAheadMax);
  const std::uint64_t most = block_slice(operation_, 0).count * sizeof(float);
  if (step.block >= end || bytes.size() > most) {
    return fail(
        ErrorCode::kInvalidInput,
        "host {}, block {}, lane {}: found {} bytes, expected at most {}, and a block below {}",
        from, step.block, step.lane, bytes.size(), most, end);
  }
  const std::uint64_t size = bytes.size();
  if (!early_[step.block].try_emplace({from, step}, std::move(bytes)).second) {
    return fail(ErrorCode::kInvalidInput, "host {}, block {}, lane {}: arrived twice", from,
                step.block, step.lane);
  }
  staged_bytes_ += size;
  return {};
}

Result<void> LaneExecutor::take(Block& block, HostId from, LaneStep step,
                                std::vector<std::byte> bytes) {
  const auto at = block.missing.find({from, step});
  if (at == block.missing.end()) {
    return fail(ErrorCode::kInvalidInput,
                "host {}, block {}, lane {}: arrived twice, or is not for this host", from,
                step.block, step.lane);
  }
  const auto [slice, source] = at->second;
  if (bytes.size() != slice.count * sizeof(float)) {
    return fail(ErrorCode::kInvalidInput, "host {}, block {}, lane {}: found {} bytes, expected {}",
                from, step.block, step.lane, bytes.size(), slice.count * sizeof(float));
  }
  block.missing.erase(at);
  if (step.kind == TransferKind::kContribution) {
    staged_bytes_ += bytes.size();
    block.summing.at(step.lane).early.emplace(source, std::move(bytes));
    return sum_in_order(block, step.block, step.lane);
  }
  const auto to = part_of(output_, slice);
  std::memcpy(to.data(), bytes.data(), bytes.size());
  if (!all_finite(to)) {
    return fail(ErrorCode::kCorrupt, "host {}, block {}, lane {}: a value is not finite", from,
                step.block, step.lane);
  }
  forward(block, step);
  return {};
}

// If this host is the first sink, passes the result on to the mirrors, from its output.
void LaneExecutor::forward(const Block& block, LaneStep step) {
  if (self_ != operation_.sinks.front()) return;
  const Lane& lane = block.lanes[step.lane];
  for (const HostId mirror : operation_.mirrors) {
    if (mirror == lane.hub) continue;
    const auto bytes = std::as_bytes(part_of(output_, lane.slice));
    queues_[mirror].results.push_back({mirror, step, bytes});
  }
}

// Adds the contributions that are next in order, and sends the sum when it is complete.
Result<void> LaneExecutor::sum_in_order(Block& block, std::uint32_t b, std::uint32_t lane) {
  Summing& summing = block.summing.at(lane);
  for (; summing.next < operation_.sources.size(); ++summing.next) {
    const HostId source = operation_.sources[summing.next];
    Result<void> added;
    if (source == self_) {
      added = add(summing, std::as_bytes(part_of(input_, summing.slice)));
    } else {
      const auto at = summing.early.find(summing.next);
      if (at == summing.early.end()) return {};
      added = add(summing, at->second);
      staged_bytes_ -= at->second.size();
      summing.early.erase(at);
    }
    if (!added) return fail_in(added.error(), "host {}, block {}, lane {}", source, b, lane);
  }
  queue_results(block, b, lane, summing);
  staged_bytes_ -= summing.slice.count * sizeof(float);
  block.summing.erase(lane);
  return {};
}

// A message need not be aligned, so it is read through a buffer.
Result<void> LaneExecutor::add(Summing& summing, std::span<const std::byte> bytes) {
  const bool first = summing.sum == nullptr;
  if (first) {
    summing.sum = std::make_shared<std::vector<float>>(summing.slice.count);
    staged_bytes_ += bytes.size();
  }
  std::array<float, kAtOnce> buffer;
  for (std::size_t at = 0; at < summing.slice.count; at += kAtOnce) {
    const auto from = std::span(buffer).first(std::min(kAtOnce, summing.slice.count - at));
    std::memcpy(from.data(), bytes.data() + at * sizeof(float), from.size_bytes());
    const auto to = std::span(*summing.sum).subspan(at, from.size());
    if (!all_finite(from)) return fail(ErrorCode::kCorrupt, "a value is not finite");
    if (first) {
      // The first value is not added to zero, because that would lose the sign of a negative zero.
      std::copy(from.begin(), from.end(), to.begin());
    } else {
      add_scaled(to, from, 1);
    }
  }
  return {};
}

void LaneExecutor::queue_results(Block& block, std::uint32_t b, std::uint32_t lane,
                                 const Summing& summing) {
  const LaneStep step{b, lane, TransferKind::kResult};
  if (is_recipient_) {
    std::ranges::copy(*summing.sum, part_of(output_, block.lanes[lane].slice).begin());
  }
  const auto bytes = std::as_bytes(std::span(*summing.sum));
  for (const HostId sink : operation_.sinks) {
    if (sink != self_) queues_[sink].results.push_back({sink, step, bytes, summing.sum});
  }
  forward(block, step);
}

void LaneExecutor::drop_finished() {
  while (!blocks_.empty()) {
    const auto& [b, block] = *blocks_.begin();
    if (b != dropped_ || !block.missing.empty() || block.to_send > 0) return;
    // The block never finishes, because a contribution was not finite.
    if (!block.summing.empty()) return;
    blocks_.erase(blocks_.begin());
    ++dropped_;
  }
}

std::uint32_t LaneExecutor::blocks_finished() const { return dropped_; }

std::vector<HostId> LaneExecutor::waiting_for() const {
  std::set<HostId> hosts;
  for (const auto& [b, block] : blocks_) {
    for (const auto& [key, missing] : block.missing) hosts.insert(key.first);
  }
  return {hosts.begin(), hosts.end()};
}

}  // namespace surety::fabric
