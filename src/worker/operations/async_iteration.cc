#include "worker/operations/async_iteration.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::worker {
namespace {

// Messages given to the network for one host that have not left yet. If there are more, urgent ones
// wait longer. If our own port is slow, there is one.
constexpr int kSendsPerPeer = 2;

}  // namespace

AsyncIteration::AsyncIteration(const proto::Step& order, const fabric::ExchangeOptions& options,
                               WorkerId self, const learn::Model& model, LearnedWork begun,
                               std::optional<std::uint32_t> batch, Time now)
    : order_(order),
      batch_(batch),
      exchange_(options, self, learn::shared_vector(model.parameters, order.line_search()), now),
      local_(model),
      shared_(learn::shared_vector(model.parameters, order.line_search())),
      replica_(shared_, {.weight = order.asynchronous().weight(),
                         .statistics_weight = 1.0f / static_cast<float>(options.hosts.size())}),
      turns_({.overlap = order.asynchronous().overlap()}),
      left_(begun.items_left()),
      learned_(std::move(begun)),
      sum_(shared_.size(), 0.0) {
  done_ = left_.empty();
  if (!learned_.is_begun()) return;
  learned_.add_to(std::span(shared_).first(local_.parameters.size()));
  for (std::size_t i = 0; i < learned_.change.size(); ++i) {
    sum_[i] = double{order_.asynchronous().weight()} * learned_.change[i];
  }
  reach_merge_point(learned_.steps, left_.empty());
}

// ---- learning -----------------------------------------------------------------------------------

std::optional<AsyncIteration::Piece> AsyncIteration::next_piece(bool is_late) {
  if (learning_ || at_merge_point_ || done_) return std::nullopt;
  learning_ = true;
  if (is_late && learned_.is_begun()) return Piece{.items = {}, .ends = true};
  std::vector<learn::WorkItem> items = take_items();
  return Piece{.items = std::move(items), .ends = next_ == left_.size()};
}

// The items of as many steps as lie between two merge points.
std::vector<learn::WorkItem> AsyncIteration::take_items() {
  std::vector<learn::WorkItem> items;
  const std::uint64_t steps = std::max(1u, order_.asynchronous().steps());
  const std::uint64_t wanted = steps * batch_.value_or(1);
  for (std::uint64_t taken = 0; taken < wanted && next_ < left_.size();) {
    learn::WorkItem& item = left_[next_];
    std::uint32_t count = item.count;
    if (batch_) count = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted - taken, count));
    items.push_back({item.chunk, item.first, count});
    item.first += count;
    item.count -= count;
    taken += count;
    if (item.count == 0) ++next_;
  }
  return items;
}

void AsyncIteration::on_learned(std::span<const float> update, const learn::LocalResult& result,
                                bool last) {
  SURETY_CHECK(learning_);
  learning_ = false;
  const std::uint64_t batch = batch_.value_or(1);
  const auto steps = static_cast<std::uint32_t>((result.samples + batch - 1) / batch);
  learned_.result.add(result);
  learned_.steps += steps;
  if (result.trainable) learned_.trainable = result.trainable;
  const double weight = order_.asynchronous().weight();
  for (std::size_t i = 0; i < update.size(); ++i) {
    shared_[i] += update[i];
    sum_[i] += weight * update[i];
  }
  const bool has_slopes = last && shared_.size() > local_.parameters.size();
  if (has_slopes) {
    learned_.result.slopes = result.slopes;
    for (std::size_t i = local_.parameters.size(); i < shared_.size(); ++i) {
      const float slope = result.slopes[i - local_.parameters.size()];
      shared_[i] += slope;  // The slopes of the other workers are in the sum already.
      sum_[i] = weight * slope;
    }
  }
  // Slopes are sent even if no batch was learned.
  reach_merge_point(std::max(steps, has_slopes ? 1u : 0u), last);
}

void AsyncIteration::reach_merge_point(std::uint32_t steps, bool last) {
  at_merge_point_ = true;
  done_ = false;
  at_last_point_ = last;
  turns_.arrive(steps, last);
  take_turns();
}

LearnedWork AsyncIteration::learned_work() const {
  LearnedWork work = learned_;
  work.change = replica_.learned(shared_);
  work.change.resize(local_.parameters.size());
  return work;
}

// Does at a merge point what the turns ask for, until it has to wait or may learn on.
void AsyncIteration::take_turns() {
  if (!at_merge_point_) return;
  const std::span<float> parameters(shared_);
  while (true) {
    switch (turns_.next(answer_.has_value())) {
      case learn::MergeMove::kWait:
        return;
      case learn::MergeMove::kLearn:
        std::copy_n(shared_.begin(), local_.parameters.size(), local_.parameters.begin());
        at_merge_point_ = false;
        done_ = at_last_point_;
        return;
      case learn::MergeMove::kSend:
        SURETY_CHECK(!update_);
        update_ = Update{replica_.seal(parameters, learned_.trainable.value_or(parameters.size())),
                         turns_.send()};
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

Result<void> AsyncIteration::on_message(Time now, WorkerId from, std::span<const std::byte> bytes) {
  return exchange_.receive(now, from, bytes);
}

Result<std::vector<AsyncIteration::Send>> AsyncIteration::next_sends(Time now) {
  if (auto pulled = exchange_.take_pulled()) answer_ = std::move(pulled);
  take_turns();
  if (!retired_ && exchange_.idle()) {
    if (auto update = std::exchange(update_, std::nullopt)) {
      SURETY_TRY(exchange_.push(now, std::move(update->values), update->steps));
    } else if (done_) {
      retired_ = true;
      exchange_.retire(now);
    }
  }
  std::vector<Send> sends;
  const int most = exchange_.has_slow_port() ? 1 : kSendsPerPeer;
  for (const WorkerId to : exchange_.destinations()) {
    while (auto message = exchange_.next_send(now, to, in_flight_[to] >= most)) {
      ++in_flight_[to];
      sends.push_back({to, std::move(*message)});
    }
  }
  return sends;
}

bool AsyncIteration::has_ended() const {
  return exchange_.ended() && std::all_of(in_flight_.begin(), in_flight_.end(),
                                          [](const auto& entry) { return entry.second == 0; });
}

}  // namespace surety::worker
