// How tests of the control stream wait for its events.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/posix/wait_testing.h"
#include "runtime/control/control_channel.h"
#include "runtime/control/inbox.h"

namespace surety::runtime {

// The next event, if one comes within some milliseconds and is of this kind. An event of another
// kind is discarded.
template <typename Kind>
std::optional<Kind> poll_event(Inbox<ConnectionEvent>& events) {
  auto event = events.take(std::chrono::milliseconds(10));
  auto* kind = event ? std::get_if<Kind>(&*event) : nullptr;
  return kind == nullptr ? std::nullopt : std::optional<Kind>(std::move(*kind));
}

// The next event of this kind; events of other kinds are discarded. A test fails, and receives
// nothing, if none comes within posix::kTestPatience.
template <typename Kind>
std::optional<Kind> next_event(Inbox<ConnectionEvent>& events, std::string what = "an event") {
  std::optional<Kind> found;
  const auto holds = [&] {
    found = poll_event<Kind>(events);
    return found.has_value();
  };
  EXPECT_TRUE(posix::wait_until({.what = std::move(what), .holds = holds, .pause = {}}));
  return found;
}

}  // namespace surety::runtime
