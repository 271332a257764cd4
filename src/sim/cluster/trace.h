// What happened in a simulated run: a hash over every event, and lines for people to read.
//
// Two runs with the same hash did the same things in the same order. The hash covers much more than
// is kept: each message with its time, sender and receiver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace surety::sim {

class Trace {
 public:
  // Adds to the hash only.
  void note(double now_s, std::string_view what, std::uint64_t a = 0, std::uint64_t b = 0,
            std::uint64_t c = 0);
  // Adds to the hash and the time line.
  void log(double now_s, const std::string& text);

  struct Line {
    double time_s = 0;
    std::string text;
  };
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
  std::vector<Line> lines_;
};

}  // namespace surety::sim
