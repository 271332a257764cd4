// How tests wait for what other threads and processes do: until it is so, and never for a fixed
// time. An assertion on what follows an event only some time later must wait for it here first.
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

// Only a test that fails waits this long: with sanitizers, and beside other work, a run takes some
// ten times as long as it takes alone.
constexpr Duration kTestPatience = std::chrono::minutes(5);

struct Awaited {
  std::string what;                    // For the failure: "2 passes in the journal".
  std::function<bool()> holds;         // The last look is taken after the time is over.
  std::function<bool()> is_vain{};     // True: it will not hold later if it does not hold now.
  std::function<std::string()> log{};  // A failure shows it; see tail_of().
  // Between two looks. Zero is for a `holds` that waits by itself.
  Duration pause = std::chrono::milliseconds(10);
};

// The end of a log, as much as a reader looks at.
[[nodiscard]] inline std::string tail_of(const std::string& log) {
  constexpr std::size_t kShown = 3000;
  return log.size() <= kShown ? log : "[...] " + log.substr(log.size() - kShown);
}

// Succeeds as soon as it holds. Fails once that is in vain, or after kTestPatience, and says what
// was waited for.
[[nodiscard]] inline ::testing::AssertionResult wait_until(const Awaited& awaited) {
  const Time deadline = now() + kTestPatience;
  const auto failure = [&](const std::string& why) {
    return ::testing::AssertionFailure() << "waited for " << awaited.what << ": " << why << "\n"
                                         << (awaited.log ? awaited.log() : "");
  };
  while (true) {
    const bool is_late = now() >= deadline;
    const bool is_vain = awaited.is_vain && awaited.is_vain();
    if (awaited.holds()) return ::testing::AssertionSuccess();
    if (is_vain) return failure("it will not come any more");
    if (is_late) return failure("it has not come");
    if (awaited.pause > Duration::zero()) std::this_thread::sleep_for(awaited.pause);
  }
}

[[nodiscard]] inline ::testing::AssertionResult wait_until(std::string what,
                                                           std::function<bool()> holds) {
  return wait_until({.what = std::move(what), .holds = std::move(holds)});
}

}  // namespace surety::posix
