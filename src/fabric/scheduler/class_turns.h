// The turns of the speed classes in one direction of transfer. Each class has at most one round at
// a time. The class whose last start is longest ago comes first, so that every class gets its turn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace surety::fabric {

class ClassTurns {
 public:
  explicit ClassTurns(std::uint32_t classes) : turns_(classes) {}

  // All classes, the next one first. Classes that have never started come first, in ascending
  // order. O(classes log classes).
  [[nodiscard]] std::vector<std::uint32_t> order() const;

  [[nodiscard]] bool has_round(std::uint32_t speed_class) const {
    return turns_[speed_class].has_round;
  }
  // A round of the class starts. REQUIRES: it has none.
  void start(std::uint32_t speed_class);
  // The round of the class has ended. REQUIRES: it has one.
  void end(std::uint32_t speed_class);

  // The class has work but cannot start, because the network is busy. The time of the first such
  // call is kept.
  void wait(std::uint32_t speed_class, Time now);
  void stop_waiting(std::uint32_t speed_class) { turns_[speed_class].waiting_since.reset(); }
  [[nodiscard]] std::optional<Time> waiting_since(std::uint32_t speed_class) const {
    return turns_[speed_class].waiting_since;
  }

 private:
  struct Turn {
    bool has_round = false;
    std::optional<Time> waiting_since{};
    std::optional<std::uint64_t> last_start{};  // Number of the start.
  };
  std::vector<Turn> turns_;  // Turns by class.
  std::uint64_t starts_ = 0;
};

}  // namespace surety::fabric
