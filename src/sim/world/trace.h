// The trace of a simulated run: a hash over every event, and lines for people to read.
//
// Two runs with the same hash did the same things in the same order. The hash covers much more than
// is kept: each message with its time, sender and receiver.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/network/event_queue.h"

namespace surety::sim {

class Trace {
 public:
  // Each addition gets the current time of this clock. `clock` must outlive this.
  explicit Trace(const EventQueue& clock) : clock_(clock) {}

  // Adds to the hash only.
  void note(std::string_view what, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0);
  // Adds to the hash and the time line, and then tells the listener.
  void log(const std::string& text);
  // Sets the only listener, which gets every line from now on.
  void listen(std::function<void(const std::string&)> listener) { listener_ = std::move(listener); }

  struct Line {
    double time_s = 0;
    std::string text;
  };
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  const EventQueue& clock_;
  std::function<void(const std::string&)> listener_;
  std::uint64_t hash_ = 0;
  std::vector<Line> lines_;
};

}  // namespace surety::sim
