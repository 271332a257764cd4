#include "worker/operations/async_learner.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace surety::worker {
namespace {

// The maximum number of messages to one worker that the network has not sent yet. With more, urgent
// messages would wait longer. If the port of this worker is slow, the maximum is one.
constexpr int kSendsPerPeer = 2;

}  // namespace

AsyncLearner::AsyncLearner(const proto::Step& order, const fabric::ExchangeOptions& options,
                           WorkerId self, const learn::Model& model, LearnedWork begun,
                           std::optional<std::uint32_t> batch, bool keeps_sum, Time now)
    : weight_(order.asynchronous().weight()),
      exchange_(options, self, learn::shared_vector(model.parameters, order.line_search()), now),
      local_(model),
      shared_(learn::shared_vector(model.parameters, order.line_search())),
      replica_(shared_, {.weight = order.asynchronous().weight(),
                         .statistics_weight = 1.0f / static_cast<float>(options.workers.size())}),
      turns_({.overlap = order.asynchronous().overlap()}),
      learned_(std::move(begun)),
      pieces_(learned_.items_left(), {.steps = order.asynchronous().steps(), .batch = batch}) {
  if (keeps_sum) sum_.emplace(shared_.size(), 0.0);
  if (pieces_.is_empty()) phase_ = Phase::kLearned;
  if (!learned_.is_begun()) return;
  learned_.add_to(std::span(shared_).first(local_.parameters.size()));
  for (std::size_t i = 0; i < learned_.change.size(); ++i) {
    if (sum_) (*sum_)[i] = weight_ * learned_.change[i];
  }
  reach_merge_point(learned_.steps.value(), pieces_.is_empty());
}

// ---- learning -----------------------------------------------------------------------------------

std::optional<AsyncLearner::Piece> AsyncLearner::next_piece(bool is_late) {
  if (phase_ != Phase::kReady) return std::nullopt;
  phase_ = Phase::kLearning;
  if (is_late && learned_.is_begun()) return Piece{.items = {}, .ends = true};
  std::vector<learn::WorkItem> items = pieces_.take();
  return Piece{.items = std::move(items), .ends = pieces_.is_empty()};
}

void AsyncLearner::on_learned(std::span<const float> update, const learn::LocalResult& result,
                              bool last) {
  SURETY_CHECK(phase_ == Phase::kLearning);
  const std::uint32_t steps = pieces_.steps_of(result.samples);
  learned_.result.add(result);
  learned_.steps = learned_.steps.value_or(0) + steps;
  if (result.trainable) learned_.trainable = result.trainable;
  for (std::size_t i = 0; i < update.size(); ++i) {
    shared_[i] += update[i];
    if (sum_) (*sum_)[i] += weight_ * update[i];
  }
  const bool has_slopes = last && shared_.size() > local_.parameters.size();
  if (has_slopes) {
    learned_.result.slopes = result.slopes;
    for (std::size_t i = local_.parameters.size(); i < shared_.size(); ++i) {
      const float slope = result.slopes[i - local_.parameters.size()];
      shared_[i] += slope;  // The slopes of the other workers are in the sum already.
      if (sum_) (*sum_)[i] = weight_ * slope;
    }
  }
  // Slopes are sent even if no batch was learned.
  reach_merge_point(std::max(steps, has_slopes ? 1u : 0u), last);
}

void AsyncLearner::reach_merge_point(std::uint32_t steps, bool last) {
  phase_ = last ? Phase::kAtLastPoint : Phase::kAtMergePoint;
  turns_.arrive(steps, last);
  take_turns();
}

LearnedWork AsyncLearner::learned_work() const {
  LearnedWork work = learned_;
  work.change = replica_.learned(shared_);
  work.change.resize(local_.parameters.size());
  return work;
}

// Takes the actions of the merge turns at a merge point, until the worker has to wait or may
// continue to learn.
void AsyncLearner::take_turns() {
  if (phase_ != Phase::kAtMergePoint && phase_ != Phase::kAtLastPoint) return;
  const std::span<float> parameters(shared_);
  while (true) {
    switch (turns_.next(answer_.has_value())) {
      case learn::MergeMove::kWait:
        return;
      case learn::MergeMove::kLearn:
        std::copy_n(shared_.begin(), local_.parameters.size(), local_.parameters.begin());
        phase_ = phase_ == Phase::kAtLastPoint ? Phase::kLearned : Phase::kReady;
        return;
      case learn::MergeMove::kSend:
        SURETY_CHECK(!update_);
        update_ = replica_.seal(parameters, learned_.trainable.value_or(parameters.size()));
        turns_.send();
        break;
      case learn::MergeMove::kAdopt: {
        std::vector<std::pair<std::size_t, std::size_t>> dropped;
        for (const fabric::Slice slice : answer_->dropped) {
          dropped.emplace_back(slice.first, slice.count);
        }
        replica_.adopt(answer_->model, dropped, parameters);
        turns_.adopt(!dropped.empty());
        answer_.reset();
        break;
      }
    }
  }
}

// ---- exchanging ---------------------------------------------------------------------------------

Result<void> AsyncLearner::on_message(Time now, WorkerId from, std::span<const std::byte> bytes) {
  return exchange_.receive(now, from, bytes);
}

Result<std::vector<AsyncLearner::Send>> AsyncLearner::next_sends(Time now) {
  if (auto pulled = exchange_.take_pulled()) answer_ = std::move(pulled);
  take_turns();
  SURETY_TRY(push_or_retire(now));
  std::vector<Send> sends;
  const int most = exchange_.has_slow_port() ? 1 : kSendsPerPeer;
  for (const WorkerId to : exchange_.destinations()) {
    while (auto message = exchange_.next_send(now, to, in_flight_[to] >= most)) {
      ++in_flight_[to];
      sends.push_back({to, std::move(*message)});
    }
  }
  if (exchange_.failure()) return tl::unexpected(*exchange_.failure());
  return sends;
}

Result<void> AsyncLearner::push_or_retire(Time now) {
  if (phase_ == Phase::kRetired || !exchange_.idle()) return {};
  if (auto update = std::exchange(update_, std::nullopt)) {
    SURETY_TRY(exchange_.push(now, *std::move(update)));
  } else if (phase_ == Phase::kLearned) {
    phase_ = Phase::kRetired;
    exchange_.retire(now);
  }
  return {};
}

bool AsyncLearner::has_ended() const {
  return exchange_.ended() && std::all_of(in_flight_.begin(), in_flight_.end(),
                                          [](const auto& entry) { return entry.second == 0; });
}

}  // namespace surety::worker
