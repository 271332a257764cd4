#include "fabric/allreduce/executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "fabric/allreduce/reduce.h"

namespace surety::fabric {
namespace {

std::size_t index_in(const std::vector<WorkerId>& members, WorkerId id) {
  const auto at = std::lower_bound(members.begin(), members.end(), id);
  SURETY_CHECK(at != members.end() && *at == id);
  return static_cast<std::size_t>(at - members.begin());
}

}  // namespace

RoundExecutor::RoundExecutor(const Schedule& schedule, WorkerId self, std::vector<float> weights,
                             std::span<float> values)
    : members_(schedule.members),
      self_(index_in(schedule.members, self)),
      weights_(std::move(weights)),
      values_(values),
      kind_(schedule.kind),
      part_(schedule.parts.at(self_)) {
  SURETY_CHECK(part_.first + part_.count <= values.size());
  for (const Transfer& transfer : schedule.transfers) {
    check_transfer(schedule, transfer);
    if (transfer.to == self) {
      missing_.emplace(transfer.step, Incoming{transfer.kind, transfer.from, transfer.slice});
    }
    if (transfer.from == self) {
      const bool contributes = transfer.kind == TransferKind::kContribution;
      (contributes ? ready_ : results_to_send_).push_back(transfer);
    }
  }
  if (kind_ == ScheduleKind::kAllReduce) {
    start_all_reduce();
  } else {
    start_distribute();
  }
}

// Owners sum whole parts. If a schedule cut parts into pieces, it would need another executor.
void RoundExecutor::check_transfer(const Schedule& schedule, const Transfer& transfer) const {
  const bool contributes = transfer.kind == TransferKind::kContribution;
  SURETY_CHECK(!contributes || kind_ == ScheduleKind::kAllReduce);
  SURETY_CHECK(transfer.from != transfer.to);
  const WorkerId owner = contributes ? transfer.to : transfer.from;
  SURETY_CHECK(transfer.slice == schedule.parts.at(index_in(members_, owner)));
  SURETY_CHECK(transfer.slice.first + transfer.slice.count <= values_.size());
}

void RoundExecutor::start_all_reduce() {
  SURETY_CHECK(weights_.size() == members_.size());
  for (const float weight : weights_) SURETY_CHECK(std::isfinite(weight));
  contribution_.assign(values_.begin(), values_.end());
  result_.assign(values_.size(), 0.0f);
  sum_in_order();
  finish_if_complete();
}

void RoundExecutor::start_distribute() {
  result_.assign(values_.begin(), values_.end());
  next_to_sum_ = members_.size();
  ready_ = std::move(results_to_send_);
  results_to_send_.clear();
}

std::span<float> RoundExecutor::own_sum() { return part_of(std::span(result_), part_); }

std::vector<RoundExecutor::Send> RoundExecutor::next_sends() {
  std::vector<Send> sends;
  for (const Transfer& transfer : ready_) {
    const auto& buffer = transfer.kind == TransferKind::kContribution ? contribution_ : result_;
    sends.push_back(
        {transfer.to, transfer.step, std::as_bytes(part_of(std::span(buffer), transfer.slice))});
  }
  ready_.clear();
  return sends;
}

Result<Slice> RoundExecutor::expected_slice(WorkerId from, std::uint32_t step,
                                            std::uint64_t bytes) const {
  const auto at = missing_.find(step);
  if (at == missing_.end()) {
    const auto before = arrived_.find(step);
    const bool twice = before != arrived_.end() && before->second.from == from;
    return fail(ErrorCode::kInvalidInput, "worker {}, step {}: {}", from, step,
                twice ? "arrived twice" : "is not for this worker");
  }
  const Incoming& incoming = at->second;
  if (incoming.from != from) {
    return fail(ErrorCode::kInvalidInput, "step {}: from worker {}, expected worker {}", step, from,
                incoming.from);
  }
  if (bytes != incoming.slice.count * sizeof(float)) {
    return fail(ErrorCode::kInvalidInput, "worker {}, step {}: found {} bytes, expected {}", from,
                step, bytes, incoming.slice.count * sizeof(float));
  }
  return incoming.slice;
}

Result<void> RoundExecutor::receive(WorkerId from, std::uint32_t step,
                                    std::span<const std::byte> bytes) {
  SURETY_TRY(const Slice slice, expected_slice(from, step, bytes.size()));
  std::vector<float> values(slice.count);
  std::memcpy(values.data(), bytes.data(), bytes.size());  // A message need not be aligned.
  if (!all_finite(values)) {
    return fail(ErrorCode::kCorrupt, "worker {}, step {}: a value is not finite", from, step);
  }
  const auto arrived = arrived_.insert(missing_.extract(step)).position;
  if (arrived->second.kind == TransferKind::kContribution) {
    early_.emplace(index_in(members_, from), std::move(values));
    sum_in_order();
  } else {
    std::ranges::copy(values, part_of(std::span(result_), slice).begin());
  }
  finish_if_complete();
  return {};
}

// Adds the contributions that are next in order. When all are added, the sum may be sent.
void RoundExecutor::sum_in_order() {
  // An empty part gets no contributions.
  if (part_.count == 0) next_to_sum_ = members_.size();
  for (; next_to_sum_ < members_.size(); ++next_to_sum_) {
    const float weight = weights_[next_to_sum_];
    if (next_to_sum_ == self_) {
      add_scaled(own_sum(), part_of(std::span<const float>(contribution_), part_), weight);
      continue;
    }
    const auto at = early_.find(next_to_sum_);
    if (at == early_.end()) return;
    add_scaled(own_sum(), at->second, weight);
    early_.erase(at);
  }
  ready_.insert(ready_.end(), results_to_send_.begin(), results_to_send_.end());
  results_to_send_.clear();
}

void RoundExecutor::finish_if_complete() {
  if (!missing_.empty()) return;
  SURETY_CHECK(next_to_sum_ == members_.size() && early_.empty());
  std::ranges::copy(result_, values_.begin());
}

bool RoundExecutor::finished() const { return missing_.empty() && ready_.empty(); }

std::vector<WorkerId> RoundExecutor::waiting_for() const {
  std::vector<WorkerId> workers;
  for (const auto& [step, incoming] : missing_) workers.push_back(incoming.from);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return workers;
}

std::uint32_t RoundExecutor::received_from(WorkerId member) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      arrived_, [&](const auto& message) { return message.second.from == member; }));
}

}  // namespace surety::fabric
