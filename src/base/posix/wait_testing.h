// How tests wait for other threads and processes: until a condition holds, never for a fixed time.
// An assertion on something that happens some time after an event must first wait for it here.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "base/posix/clock.h"

namespace surety::posix {

// Only a test that fails waits this long. With sanitizers, and in parallel with other work, a run
// takes some ten times as long as alone.
constexpr Duration kTestPatience = std::chrono::minutes(15);

struct Awaited {
  std::string what;             // Text for the failure, such as "2 passes in the journal".
  std::function<bool()> holds;  // The condition; it is checked once more after the time is over.
  std::function<bool()> is_impossible{};  // True if it will not hold later unless it holds now.
  std::function<std::string()> log{};     // Shown by a failure; see tail_of().
  // Pause between two checks. Zero is for a `holds` that waits by itself.
  Duration pause = std::chrono::milliseconds(10);
};

// The last part of a log, short enough to be read.
[[nodiscard]] inline std::string tail_of(const std::string& log) {
  constexpr std::size_t kShown = 3000;
  return log.size() <= kShown ? log : "[...] " + log.substr(log.size() - kShown);
}

// Succeeds as soon as the condition holds. Fails when it can no longer hold, or after
// kTestPatience, and reports what was awaited.
[[nodiscard]] inline ::testing::AssertionResult wait_until(const Awaited& awaited) {
  const Time deadline = now() + kTestPatience;
  const auto failure = [&](const std::string& why) {
    return ::testing::AssertionFailure() << "waited for " << awaited.what << ": " << why << "\n"
                                         << (awaited.log ? awaited.log() : "");
  };
  while (true) {
    const bool is_late = now() >= deadline;
    const bool is_impossible = awaited.is_impossible && awaited.is_impossible();
    if (awaited.holds()) return ::testing::AssertionSuccess();
    if (is_impossible) return failure("it can no longer happen");
    if (is_late) return failure("it did not happen in time");
    if (awaited.pause > Duration::zero()) std::this_thread::sleep_for(awaited.pause);
  }
}

[[nodiscard]] inline ::testing::AssertionResult wait_until(std::string what,
                                                           std::function<bool()> holds) {
  return wait_until({.what = std::move(what), .holds = std::move(holds)});
}

}  // namespace surety::posix
