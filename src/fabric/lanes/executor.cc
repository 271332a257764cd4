#include "fabric/lanes/executor.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "fabric/allreduce/reduce.h"

namespace surety::fabric {
namespace {

bool contains(const std::vector<WorkerId>& workers, WorkerId worker) {
  return std::binary_search(workers.begin(), workers.end(), worker);
}

// Number of values summed at a time, so that they stay in the L1 cache.
constexpr std::size_t kAtOnce = 2048;

}  // namespace

std::uint32_t encode_step(LaneStep step) {
  SURETY_CHECK(step.lane < 1u << 31);
  return step.lane * 2 + (step.kind == TransferKind::kResult ? 1 : 0);
}

LaneStep decode_step(std::uint32_t step) {
  return {.lane = step / 2,
          .kind = step % 2 == 1 ? TransferKind::kResult : TransferKind::kContribution};
}

LaneExecutor::LaneExecutor(Operation operation, WorkerId self, std::span<const float> input,
                           std::span<float> output)
    : operation_(std::move(operation)), self_(self), input_(input), output_(output) {
  SURETY_CHECK(!operation_.sources.empty() && !operation_.sinks.empty());
  SURETY_CHECK(!contains(operation_.sources, self) || input_.size() == operation_.elements);
  SURETY_CHECK(!contains(operation_.sinks, self) || output_.size() == operation_.elements);
}

Result<void> LaneExecutor::start(std::vector<Lane> lanes) {
  SURETY_CHECK(!is_started_);
  SURETY_CHECK(lane_error({.first = 0, .count = operation_.elements}, lanes).empty());
  is_started_ = true;
  lanes_ = std::move(lanes);
  plan_transfers();
  for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
    if (lanes_[l].hub == self_) SURETY_TRY(sum_in_order(l));
  }
  return {};
}

void LaneExecutor::plan_transfers() {
  for (const Transfer& transfer : transfers_of(operation_, lanes_)) {
    const LaneStep step{transfer.step, transfer.kind};
    if (transfer.from == self_) {
      ++to_send_;
      if (transfer.kind == TransferKind::kContribution) {
        queues_[transfer.to].contributions.push_back(
            {transfer.to, step, std::as_bytes(part_of(input_, transfer.slice))});
      }
    }
    if (transfer.to != self_) continue;
    const auto source =
        std::lower_bound(operation_.sources.begin(), operation_.sources.end(), transfer.from);
    missing_[{transfer.from, step}] = {
        transfer.slice, static_cast<std::size_t>(source - operation_.sources.begin())};
  }
  for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
    if (lanes_[l].hub == self_) summing_[l].slice = lanes_[l].slice;
  }
}

std::optional<LaneExecutor::Send> LaneExecutor::next_send(WorkerId to) {
  const auto at = queues_.find(to);
  if (at == queues_.end()) return std::nullopt;
  auto& queue = at->second.results.empty() ? at->second.contributions : at->second.results;
  Send send = std::move(queue.front());
  queue.pop_front();
  if (at->second.results.empty() && at->second.contributions.empty()) queues_.erase(at);
  return send;
}

std::vector<WorkerId> LaneExecutor::destinations() const {
  std::vector<WorkerId> workers;
  for (const auto& [worker, queue] : queues_) workers.push_back(worker);
  return workers;
}

void LaneExecutor::sent() {
  SURETY_CHECK(to_send_ > 0);
  --to_send_;
}

Result<void> LaneExecutor::receive(WorkerId from, LaneStep step, std::vector<std::byte> bytes) {
  const auto at = missing_.find({from, step});
  if (at == missing_.end()) {
    return fail(ErrorCode::kInvalidInput,
                "worker {}, lane {}: arrived twice, or is not for this worker", from, step.lane);
  }
  const auto [slice, source] = at->second;
  if (bytes.size() != slice.count * sizeof(float)) {
    return fail(ErrorCode::kInvalidInput, "worker {}, lane {}: found {} bytes, expected {}", from,
                step.lane, bytes.size(), slice.count * sizeof(float));
  }
  missing_.erase(at);
  if (step.kind == TransferKind::kContribution) {
    summing_.at(step.lane).early.emplace(source, std::move(bytes));
    return sum_in_order(step.lane);
  }
  const auto to = part_of(output_, slice);
  std::memcpy(to.data(), bytes.data(), bytes.size());
  if (!all_finite(to)) {
    return fail(ErrorCode::kCorrupt, "worker {}, lane {}: a value is not finite", from, step.lane);
  }
  return {};
}

// Adds the contributions that are next in order, and sends the sum when it is complete.
Result<void> LaneExecutor::sum_in_order(std::uint32_t lane) {
  Summing& summing = summing_.at(lane);
  for (; summing.next < operation_.sources.size(); ++summing.next) {
    const WorkerId source = operation_.sources[summing.next];
    Result<void> added;
    if (source == self_) {
      added = add(summing, std::as_bytes(part_of(input_, summing.slice)));
    } else {
      const auto at = summing.early.find(summing.next);
      if (at == summing.early.end()) return {};
      added = add(summing, at->second);
      summing.early.erase(at);
    }
    if (!added) return fail_in(added.error(), "worker {}, lane {}", source, lane);
  }
  queue_results(lane, summing);
  summing_.erase(lane);
  return {};
}

// A message need not be aligned, so it is read through a buffer.
Result<void> LaneExecutor::add(Summing& summing, std::span<const std::byte> bytes) {
  const bool first = summing.sum == nullptr;
  if (first) {
    summing.sum = std::make_shared<std::vector<float>>(summing.slice.count);
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

void LaneExecutor::queue_results(std::uint32_t lane, const Summing& summing) {
  const LaneStep step{lane, TransferKind::kResult};
  const auto bytes = std::as_bytes(std::span(*summing.sum));
  for (const WorkerId sink : operation_.sinks) {
    if (sink == self_) {
      std::ranges::copy(*summing.sum, part_of(output_, summing.slice).begin());
    } else {
      queues_[sink].results.push_back({sink, step, bytes, summing.sum});
    }
  }
}

bool LaneExecutor::finished() const {
  // A lane stays in `summing_` for ever if one of its contributions was not finite.
  return is_started_ && missing_.empty() && summing_.empty() && to_send_ == 0;
}

}  // namespace surety::fabric
