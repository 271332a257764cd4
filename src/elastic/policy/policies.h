// The elastic policies in force. Each can be switched by itself, so that its benefit can be
// measured.
#pragma once

#include <cstdint>

namespace surety::elastic {

// How local SGD reacts to another number of workers (resize.h).
enum class OnResize : std::uint8_t { kKeepBatch, kScaleRate, kNone };

struct Policies {
  // True: chunks and quotas follow the workers' speeds. False: they are equal.
  bool rebalance = true;
  // True: late workers report the work that they have done. False: the others wait.
  bool cut_off = true;
  bool shuffle = false;  // Some chunks change places at random in each pass.
  // CoCoA: use fewer workers if the gap falls no slower with them.
  bool scale_in = false;
};

}  // namespace surety::elastic
