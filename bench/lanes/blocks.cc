#include "bench/lanes/blocks.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace surety::bench {
namespace {

using namespace fabric;

constexpr std::uint32_t kMirrorBit = 1u << 29;

bool contains(const std::vector<WorkerId>& hosts, WorkerId host) {
  return std::ranges::binary_search(hosts, host);
}

}  // namespace

bool is_recipient(const BlockedOperation& operation, WorkerId host) {
  return contains(operation.sinks, host) || contains(operation.mirrors, host);
}

Slice slice_of(const BlockedOperation& operation, std::uint32_t block) {
  return block_slice(operation.elements, operation.blocks, block);
}

std::uint32_t encode_block_step(const BlockStep& step) {
  SURETY_CHECK(step.block < kBlocksMost && step.step.lane < kLanesMax);
  return step.block * (2 * kLanesMax) + encode_step(step.step) +
         (step.is_for_mirror ? kMirrorBit : 0);
}

BlockStep decode_block_step(std::uint32_t code) {
  const std::uint32_t rest = code & (kMirrorBit - 1);
  return {.block = rest / (2 * kLanesMax),
          .is_for_mirror = (code & kMirrorBit) != 0,
          .step = decode_step(rest % (2 * kLanesMax))};
}

BlockedExecutor::BlockedExecutor(BlockedOperation operation, WorkerId self,
                                 std::span<const float> input, std::span<float> output)
    : operation_(std::move(operation)), self_(self), input_(input), output_(output) {
  SURETY_CHECK(operation_.blocks >= 1 && operation_.blocks <= kBlocksMost);
  for (const WorkerId mirror : operation_.mirrors)
    SURETY_CHECK(!contains(operation_.sinks, mirror));
  SURETY_CHECK(!is_recipient(operation_, self) || output_.size() == operation_.elements);
}

bool BlockedExecutor::copies() const {
  return !operation_.mirrors.empty() && self_ == operation_.sinks.front();
}

Result<void> BlockedExecutor::start(std::uint32_t b, std::vector<Lane> lanes) {
  if (b != started_ || b >= operation_.blocks) {
    return fail(ErrorCode::kInvalidInput, "found block {} of {}, expected block {}", b,
                operation_.blocks, started_);
  }
  const Slice slice = slice_of(operation_, b);
  if (auto wrong = lane_error({.first = 0, .count = slice.count}, lanes); !wrong.empty()) {
    return fail(ErrorCode::kInvalidInput, "block {}: {}", b, wrong);
  }
  ++started_;
  Block& block = blocks_[b];
  const bool sums = contains(operation_.sinks, self_);
  const Operation sum{operation_.sources, operation_.sinks, slice.count};
  expect_messages(b, false, sum, lanes);
  block.lanes = lanes;
  block.sum = std::make_unique<LaneExecutor>(
      sum, self_, input_.empty() ? input_ : input_.subspan(slice.first, slice.count),
      sums ? output_.subspan(slice.first, slice.count) : std::span<float>{});
  SURETY_TRY(block.sum->start(std::move(lanes)));
  if (contains(operation_.mirrors, self_)) SURETY_TRY(start_copy(b, block));
  if (auto early = early_.extract(b)) {
    for (auto& [key, bytes] : early.mapped()) {
      early_bytes_ -= bytes.size();
      const auto taken = receive(key.first, key.second, std::move(bytes));
      // An unexpected message is dropped, as if it arrived now.
      if (!taken && taken.error().code != ErrorCode::kInvalidInput) return taken;
    }
  }
  return drop_finished();
}

void BlockedExecutor::expect_messages(std::uint32_t b, bool is_for_mirror,
                                      const Operation& operation, const std::vector<Lane>& lanes) {
  for (const Transfer& transfer : transfers_of(operation, lanes)) {
    if (transfer.to != self_) continue;
    blocks_.at(b).missing.insert(
        {transfer.from, {b, is_for_mirror, {transfer.step, transfer.kind}}});
  }
}

// The first sink sends the whole block to the mirrors, so it is the only hub.
Result<void> BlockedExecutor::start_copy(std::uint32_t b, Block& block) {
  const Slice slice = slice_of(operation_, b);
  const WorkerId owner = operation_.sinks.front();
  const auto ours = output_.subspan(slice.first, slice.count);
  const Operation copy{{owner}, operation_.mirrors, slice.count};
  auto lanes = cut_lanes({.first = 0, .count = slice.count}, {{owner, 1}});
  expect_messages(b, true, copy, lanes);
  block.copy = std::make_unique<LaneExecutor>(
      copy, self_, self_ == owner ? std::span<const float>(ours) : std::span<const float>{},
      self_ == owner ? std::span<float>{} : ours);
  return block.copy->start(std::move(lanes));
}

std::optional<BlockedExecutor::Send> BlockedExecutor::next_send(WorkerId to) {
  for (auto& [b, block] : blocks_) {
    if (auto send = block.sum->next_send(to)) {
      return Send{{b, false, send->step}, send->bytes, std::move(send->keep)};
    }
    if (block.copy == nullptr) continue;
    if (auto send = block.copy->next_send(to)) {
      return Send{{b, true, send->step}, send->bytes, std::move(send->keep)};
    }
  }
  return std::nullopt;
}

std::vector<WorkerId> BlockedExecutor::destinations() const {
  std::set<WorkerId> hosts;
  for (const auto& [b, block] : blocks_) {
    for (const auto* part : {block.sum.get(), block.copy.get()}) {
      if (part == nullptr) continue;
      const auto some = part->destinations();
      hosts.insert(some.begin(), some.end());
    }
  }
  return {hosts.begin(), hosts.end()};
}

Result<void> BlockedExecutor::sent(const BlockStep& step) {
  const auto at = blocks_.find(step.block);
  SURETY_CHECK(at != blocks_.end());
  (step.is_for_mirror ? at->second.copy : at->second.sum)->sent();
  return drop_finished();
}

Result<void> BlockedExecutor::receive(WorkerId from, const BlockStep& step,
                                      std::vector<std::byte> bytes) {
  if (step.block >= started_) return keep_early(from, step, std::move(bytes));
  const auto at = blocks_.find(step.block);
  if (at == blocks_.end()) {
    return fail(ErrorCode::kInvalidInput, "host {}, block {}: the block is finished", from,
                step.block);
  }
  auto& part = step.is_for_mirror ? at->second.copy : at->second.sum;
  if (part == nullptr) {
    return fail(ErrorCode::kInvalidInput, "host {}, block {}: this host is not a mirror", from,
                step.block);
  }
  const auto taken = part->receive(from, step.step, std::move(bytes));
  if (!taken) return fail_in(taken.error(), "block {}", step.block);
  at->second.missing.erase({from, step});
  return drop_finished();
}

Result<void> BlockedExecutor::keep_early(WorkerId from, const BlockStep& step,
                                         std::vector<std::byte> bytes) {
  const std::uint32_t end = std::min(operation_.blocks, finished_ + kAheadMax);
  const std::uint64_t most = slice_of(operation_, 0).count * sizeof(float);
  if (step.block >= end || bytes.size() > most) {
    return fail(ErrorCode::kInvalidInput,
                "host {}, block {}: found {} bytes, expected at most {}, and a block below {}",
                from, step.block, bytes.size(), most, end);
  }
  const std::uint64_t size = bytes.size();
  if (!early_[step.block].try_emplace({from, step}, std::move(bytes)).second) {
    return fail(ErrorCode::kInvalidInput, "host {}, block {}: a message arrived twice", from,
                step.block);
  }
  early_bytes_ += size;
  return {};
}

Result<void> BlockedExecutor::drop_finished() {
  for (auto& [b, block] : blocks_) {
    if (copies() && block.copy == nullptr && block.sum->finished()) {
      SURETY_TRY(start_copy(b, block));
    }
  }
  while (!blocks_.empty()) {
    const Block& block = blocks_.begin()->second;
    if (!block.sum->finished() || (copies() && block.copy == nullptr)) return {};
    if (block.copy != nullptr && !block.copy->finished()) return {};
    blocks_.erase(blocks_.begin());
    ++finished_;
  }
  return {};
}

std::vector<WorkerId> BlockedExecutor::waiting_for() const {
  std::set<WorkerId> hosts;
  for (const auto& [b, block] : blocks_) {
    for (const auto& [host, step] : block.missing) hosts.insert(host);
  }
  return {hosts.begin(), hosts.end()};
}

std::uint64_t BlockedExecutor::staged_bytes() const {
  std::uint64_t bytes = early_bytes_;
  for (const auto& [b, block] : blocks_) bytes += staged_by(block);
  return bytes;
}

// A hub has the contributions that have arrived, and the sum, until no contribution is missing.
std::uint64_t BlockedExecutor::staged_by(const Block& block) const {
  std::map<std::uint32_t, std::size_t> missing;  // Number of contributions, by lane.
  for (const auto& [host, step] : block.missing) {
    const bool contributes = step.step.kind == TransferKind::kContribution;
    if (!step.is_for_mirror && contributes) ++missing[step.step.lane];
  }
  std::uint64_t elements = 0;
  for (const auto& [lane, count] : missing) {
    const std::size_t arrived = operation_.sources.size() - count;
    if (arrived > 0) elements += block.lanes[lane].slice.count * (arrived + 1);
  }
  return elements * sizeof(float);
}

}  // namespace surety::bench
