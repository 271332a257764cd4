#include "runtime/update_desk.h"

namespace surety::runtime {

Result<void> UpdateDesk::merge(const learn::MergePoint& point) {
  ++unsent_;
  unsent_steps_ += point.steps;
  if (under_way_) {
    const bool must_wait = point.last || !options_.overlap || unsent_ >= options_.unsent_max;
    bool answered = false;
    {
      const std::lock_guard lock(mutex_);
      answered = answer_.has_value();
    }
    if (!must_wait && !answered) return {};
    SURETY_TRY(adopt(point));
  }
  if (unsent_steps_ > 0 || dropped_) send(point);
  if (options_.overlap && !point.last) return {};
  while (under_way_) {
    SURETY_TRY(adopt(point));
    if (dropped_) send(point);  // Then it is accepted, however late.
  }
  return {};
}

void UpdateDesk::send(const learn::MergePoint& point) {
  {
    const std::lock_guard lock(mutex_);
    update_ = Update{replica_.seal(point.parameters, point.trainable), unsent_steps_};
  }
  unsent_ = unsent_steps_ = 0;
  dropped_ = false;
  under_way_ = true;
  wake_();
}

// Waits for the model that contains our last update.
Result<void> UpdateDesk::adopt(const learn::MergePoint& point) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return answer_ || closed_; });
  if (closed_) return fail(ErrorCode::kUnavailable, "stopped");
  const Answer answer = std::move(*answer_);
  answer_.reset();
  lock.unlock();
  replica_.adopt(answer.model, answer.dropped, point.parameters);
  dropped_ = !answer.dropped.empty();
  under_way_ = false;
  return {};
}

std::optional<UpdateDesk::Update> UpdateDesk::take_update() {
  const std::lock_guard lock(mutex_);
  return std::exchange(update_, std::nullopt);
}

void UpdateDesk::answer(Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  changed_.notify_one();
}

void UpdateDesk::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

}  // namespace surety::runtime
