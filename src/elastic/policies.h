// Which elastic policies are in force; each by itself, so that its worth can be measured.
#pragma once

#include <cstdint>

namespace surety::elastic {

// What local SGD does about another number of workers (resize.h).
enum class OnResize : std::uint8_t { kKeepBatch, kScaleRate, kNone };

struct Policies {
  bool rebalance = true;  // Chunks and quotas follow the workers' speeds; else they are equal.
  bool cut_off = true;    // Late workers report what they have; else the others wait.
  bool shuffle = false;   // Some chunks change places at random, each pass.
  bool scale_in = false;  // CoCoA: fewer workers, where the gap falls no slower with them.
};

}  // namespace surety::elastic
