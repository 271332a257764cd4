#include "fabric/exchange/round_work.h"

#include <algorithm>

#include "base/check.h"

namespace surety::fabric {
namespace {

template <typename T>
std::span<T> within(std::span<T> model, Slice slice) {
  return model.subspan(slice.first, slice.count);
}

}  // namespace

std::vector<RoundPart> parts_of(const RoundShape& shape, const ExchangeOptions& options) {
  std::vector<RoundPart> parts;
  const auto owned = parts_of(options, shape.owners, shape.block);
  if (shape.kind != RoundKind::kMove) {
    for (const Lane& part : owned) {
      RoundPart one{.slice = part.slice, .owner = part.hub, .sources = {part.hub}, .sinks = {}};
      one.sinks = shape.members;
      if (shape.kind == RoundKind::kPush) std::swap(one.sources, one.sinks);
      parts.push_back(std::move(one));
    }
    return parts;
  }
  for (const Lane& before : owned) {
    for (const Lane& after : parts_of(options, shape.new_owners, shape.block)) {
      const auto first = std::max(before.slice.first, after.slice.first);
      const auto end =
          std::min(before.slice.first + before.slice.count, after.slice.first + after.slice.count);
      if (first >= end || before.hub == after.hub) continue;
      parts.push_back({{first, end - first}, before.hub, {before.hub}, {after.hub}});
    }
  }
  return parts;
}

RoundWork::RoundWork(RoundShape shape, const ExchangeOptions& options, WorkerId self, Vector update,
                     Vector pulled)
    : shape_(std::move(shape)),
      self_(self),
      parts_(parts_of(shape_, options)),
      update_(std::move(update)),
      pulled_(std::move(pulled)),
      values_(parts_.size()),
      executors_(parts_.size()) {
  SURETY_CHECK(!is_member() || (is_pull() ? pulled_ : update_) != nullptr);
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    const RoundPart& part = parts_[p];
    reads_model_ = reads_model_ || reads(part);
    if (reads(part)) continue;  // Starts with its snapshot.
    std::span<const float> input;
    std::span<float> output;
    if (writes(part)) {
      writes_model_ = true;
      values_[p].resize(part.slice.count);
      output = values_[p];
    }
    if (is_member() && !is_pull()) input = within(std::span<const float>(*update_), part.slice);
    if (is_member() && is_pull()) output = within(std::span(*pulled_), part.slice);
    // There can be no error, because no data have arrived yet and the lanes are our own.
    SURETY_CHECK(start(p, input, output).has_value());
  }
}

bool RoundWork::is_member() const {
  return std::binary_search(shape_.members.begin(), shape_.members.end(), self_);
}

bool RoundWork::is_recipient() const {
  return is_pull() ? is_member() : shape_.kind == RoundKind::kPush && writes_model_;
}

bool RoundWork::reads(const RoundPart& part) const {
  return shape_.kind != RoundKind::kPush && part.sources.front() == self_;
}

bool RoundWork::writes(const RoundPart& part) const {
  return shape_.kind != RoundKind::kPull && part.sinks.front() == self_;
}

Result<void> RoundWork::take_snapshot(std::span<const float> model) {
  SURETY_CHECK(needs_snapshot());
  has_snapshot_ = true;
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    if (!reads(parts_[p])) continue;
    const auto ours = within(model, parts_[p].slice);
    values_[p].assign(ours.begin(), ours.end());
    std::span<float> output;
    if (is_member()) output = within(std::span(*pulled_), parts_[p].slice);
    SURETY_TRY(start(p, values_[p], output));
  }
  return {};
}

Result<void> RoundWork::start(std::uint32_t part, std::span<const float> input,
                              std::span<float> output) {
  const RoundPart& of = parts_[part];
  Operation operation{.sources = of.sources, .sinks = of.sinks, .elements = of.slice.count};
  auto lanes = cut_lanes({.first = 0, .count = of.slice.count}, hubs_of(shape_.plan, of.owner));
  executors_[part] = std::make_unique<LaneExecutor>(std::move(operation), self_, input, output);
  return executors_[part]->start(std::move(lanes));
}

Result<void> RoundWork::receive(WorkerId from, const Address& address,
                                std::vector<std::byte> bytes) {
  if (address.part >= executors_.size() || executors_[address.part] == nullptr) {
    return fail(ErrorCode::kInvalidInput, "round {}: part {} of worker {} is not expected here",
                address.round, address.part, from);
  }
  return executors_[address.part]->receive(from, address.step, std::move(bytes));
}

std::optional<RoundWork::Send> RoundWork::next_send(WorkerId to) {
  for (std::uint32_t p = 0; p < executors_.size(); ++p) {
    if (executors_[p] == nullptr) continue;
    if (auto send = executors_[p]->next_send(to)) {
      executors_[p]->sent();
      return Send{{shape_.round, p, send->step}, send->bytes, std::move(send->keep)};
    }
  }
  return std::nullopt;
}

void RoundWork::add_destinations(std::vector<WorkerId>& workers) const {
  for (const auto& executor : executors_) {
    if (executor == nullptr) continue;
    const auto some = executor->destinations();
    workers.insert(workers.end(), some.begin(), some.end());
  }
}

bool RoundWork::finished() const {
  return !needs_snapshot() && std::ranges::all_of(executors_, [](const auto& executor) {
    return executor == nullptr || executor->finished();
  });
}

void RoundWork::apply(std::span<float> model) const {
  SURETY_CHECK(!is_pull() && finished());
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    if (!writes(parts_[p])) continue;
    const auto ours = within(model, parts_[p].slice);
    if (shape_.kind == RoundKind::kMove) {
      std::ranges::copy(values_[p], ours.begin());
    } else {
      for (std::size_t i = 0; i < ours.size(); ++i) ours[i] += values_[p][i];
    }
  }
}

}  // namespace surety::fabric
