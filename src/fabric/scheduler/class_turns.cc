#include "fabric/scheduler/class_turns.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace surety::fabric {

std::vector<std::uint32_t> ClassTurns::order() const {
  std::vector<std::uint32_t> classes(turns_.size());
  std::iota(classes.begin(), classes.end(), 0u);
  std::ranges::stable_sort(classes, {}, [&](std::uint32_t c) { return turns_[c].last_start; });
  return classes;
}

void ClassTurns::start(std::uint32_t speed_class) {
  Turn& turn = turns_[speed_class];
  SURETY_CHECK(!turn.has_round);
  turn.has_round = true;
  turn.last_start = ++starts_;
}

void ClassTurns::end(std::uint32_t speed_class) {
  Turn& turn = turns_[speed_class];
  SURETY_CHECK(turn.has_round);
  turn.has_round = false;
}

void ClassTurns::wait(std::uint32_t speed_class, Time now) {
  Turn& turn = turns_[speed_class];
  if (!turn.waiting_since) turn.waiting_since = now;
}

}  // namespace surety::fabric
