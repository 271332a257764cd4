#include "worker/coordinator_binding.h"

#include <algorithm>

#include "base/check.h"
#include "base/units.h"

namespace surety::worker {
namespace {

// Each call costs a connection. Even with a thousand workers, a coordinator can easily accept one
// call per second from each. It waits three seconds for the workers of the last coordinator
// (gather_phase.cc). The first pauses are short, because a broken connection can often be made
// again at once.
constexpr Duration kPauseMin = std::chrono::milliseconds(50);
constexpr Duration kPauseMax = std::chrono::seconds(1);
// Limit of the pause if a standby may answer soon.
constexpr Duration kPauseMaxForStandby = std::chrono::milliseconds(200);

// The part of a Welcome that describes the run and its data.
std::string about(proto::Welcome welcome) {
  welcome.clear_worker();
  welcome.clear_term();
  welcome.clear_folder();
  return welcome.SerializeAsString();
}

}  // namespace

void CoordinatorBinding::introduce(proto::Hello& hello) const {
  if (!last_welcome_) return;
  hello.set_run(last_welcome_->run());
  hello.set_worker(last_welcome_->worker());
  hello.set_term(last_welcome_->term());
}

Welcomed CoordinatorBinding::welcome(const proto::Welcome& welcome) {
  const bool is_same_run = last_welcome_ && welcome.run() == last_welcome_->run();
  if (is_same_run && welcome.term() < last_welcome_->term()) return Welcomed::kRefused;
  lost_at_.reset();
  const bool is_same = is_same_run && about(welcome) == about(*last_welcome_);
  last_welcome_ = welcome;
  return is_same ? Welcomed::kAgain : Welcomed::kNew;
}

std::optional<std::string> CoordinatorBinding::folder() const {
  if (!last_welcome_ || last_welcome_->folder().empty()) return std::nullopt;
  return last_welcome_->folder();
}

Result<void> CoordinatorBinding::lose(Time now, const Error& why) {
  const bool is_end = why.code == ErrorCode::kInvalidInput || !limit();
  if (is_end) return tl::unexpected(why);
  if (lost_at_) return {};  // The sequence of pauses continues.
  lost_at_ = now;
  pause_ = kPauseMin;
  return {};
}

Result<Duration> CoordinatorBinding::next_pause(Time now) {
  SURETY_CHECK(lost_at_);
  const Duration limit = this->limit().value();
  if (now - *lost_at_ > limit) {
    return fail(ErrorCode::kUnavailable,
                "no coordinator has answered within {}: this worker ends and discards its samples",
                format_duration(limit));
  }
  const Duration pause_max = folder() ? kPauseMaxForStandby : kPauseMax;
  const Duration pause = std::min(pause_, pause_max);
  pause_ = 2 * pause;
  return pause;
}

}  // namespace surety::worker
