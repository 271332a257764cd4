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

RoundWork::RoundWork(RoundShape shape, const ExchangeOptions& options, HostId self, Vector update,
                     Vector pulled)
    : shape_(std::move(shape)),
      self_(self),
      parts_(parts_of(options, shape_.block)),
      update_(std::move(update)),
      pulled_(std::move(pulled)),
      executors_(parts_.size()) {
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].hub == self_) own_part_ = p;
  }
  SURETY_CHECK(!is_member() || (is_pull() ? pulled_ : update_) != nullptr);
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    const Slice slice = parts_[p].slice;
    std::span<const float> input;
    std::span<float> output;
    if (is_pull()) {
      if (p == own_part_) continue;  // With its snapshot.
      if (is_member()) output = within(std::span(*pulled_), slice);
    } else {
      if (is_member()) input = within(std::span<const float>(*update_), slice);
      if (p == own_part_) sum_.resize(slice.count);
      if (p == own_part_) output = sum_;
    }
    // Nothing has come yet that could be wrong, and the lanes are our own.
    SURETY_CHECK(start(p, input, output).has_value());
  }
}

bool RoundWork::is_member() const {
  return std::binary_search(shape_.members.begin(), shape_.members.end(), self_);
}

bool RoundWork::hears() const { return is_pull() ? is_member() : own_part_.has_value(); }

Result<void> RoundWork::take_snapshot(std::span<const float> model) {
  SURETY_CHECK(wants_snapshot());
  const Slice slice = parts_[*own_part_].slice;
  const auto ours = within(model, slice);
  snapshot_.emplace(ours.begin(), ours.end());
  std::span<float> output;
  if (is_member()) output = within(std::span(*pulled_), slice);
  return start(*own_part_, *snapshot_, output);
}

Operation RoundWork::operation_of(std::uint32_t part) const {
  const HostId owner = parts_[part].hub;
  return {.sources = is_pull() ? std::vector{owner} : shape_.members,
          .sinks = is_pull() ? shape_.members : std::vector{owner},
          .elements = parts_[part].slice.count};
}

Result<void> RoundWork::start(std::uint32_t part, std::span<const float> input,
                              std::span<float> output) {
  Operation operation = operation_of(part);
  const auto lanes = cut_block(operation, 0, hubs_of(shape_.plan, parts_[part].hub));
  executors_[part] = std::make_unique<LaneExecutor>(std::move(operation), self_,
                                                    LaneExecutor::Options{}, input, output);
  return executors_[part]->start(0, lanes);
}

Result<void> RoundWork::receive(HostId from, const Address& address, std::vector<std::byte> bytes) {
  if (address.part >= executors_.size() || executors_[address.part] == nullptr ||
      address.step.block != 0) {
    return fail(ErrorCode::kInvalidInput, "round {}: part {} of host {} is not expected here",
                address.round, address.part, from);
  }
  return executors_[address.part]->receive(from, address.step, std::move(bytes));
}

std::optional<RoundWork::Send> RoundWork::next_send(HostId to) {
  for (std::uint32_t p = 0; p < executors_.size(); ++p) {
    if (executors_[p] == nullptr) continue;
    if (auto send = executors_[p]->next_send(to)) {
      executors_[p]->sent(send->step);
      return Send{{shape_.round, p, send->step}, send->bytes, std::move(send->keep)};
    }
  }
  return std::nullopt;
}

void RoundWork::add_wanting(std::vector<HostId>& hosts) const {
  for (const auto& executor : executors_) {
    if (executor == nullptr) continue;
    const auto some = executor->wanting();
    hosts.insert(hosts.end(), some.begin(), some.end());
  }
}

std::vector<HostId> RoundWork::waiting_for() const {
  std::vector<HostId> hosts;
  for (const auto& executor : executors_) {
    if (executor == nullptr) continue;
    const auto some = executor->waiting_for();
    hosts.insert(hosts.end(), some.begin(), some.end());
  }
  return hosts;
}

bool RoundWork::finished() const {
  return !wants_snapshot() && std::ranges::all_of(executors_, [](const auto& executor) {
    return executor == nullptr || executor->finished();
  });
}

void RoundWork::apply(std::span<float> model) const {
  SURETY_CHECK(!is_pull() && finished());
  if (!own_part_) return;
  const auto ours = within(model, parts_[*own_part_].slice);
  for (std::size_t i = 0; i < ours.size(); ++i) ours[i] += sum_[i];
}

}  // namespace surety::fabric
