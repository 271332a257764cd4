#include "runtime/update_desk.h"

namespace surety::runtime {

Result<void> UpdateDesk::merge(const learn::MergePoint& point) {
  turns_.arrive(point.steps, point.last);
  while (true) {
    switch (turns_.next(answered())) {
      case learn::MergeMove::kLearn:
        return {};
      case learn::MergeMove::kWait:
        SURETY_TRY(wait());
        break;
      case learn::MergeMove::kAdopt:
        adopt(point);
        break;
      case learn::MergeMove::kSend:
        send(point);
        break;
    }
  }
}

bool UpdateDesk::answered() {
  const std::lock_guard lock(mutex_);
  return answer_.has_value();
}

Result<void> UpdateDesk::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return answer_ || closed_; });
  if (closed_) return fail(ErrorCode::kUnavailable, "stopped");
  return {};
}

void UpdateDesk::send(const learn::MergePoint& point) {
  {
    const std::lock_guard lock(mutex_);
    update_ = Update{replica_.seal(point.parameters, point.trainable), turns_.send()};
  }
  wake_();
}

void UpdateDesk::adopt(const learn::MergePoint& point) {
  std::unique_lock lock(mutex_);
  const Answer answer = std::move(*answer_);
  answer_.reset();
  lock.unlock();
  replica_.adopt(answer.model, answer.dropped, point.parameters);
  turns_.adopt(!answer.dropped.empty());
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
