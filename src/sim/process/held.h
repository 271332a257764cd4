// The model and the chunks that a worker holds, for the checkers.
#pragma once

#include "learn/model_checksum.h"
#include "sim/check/check.h"
#include "worker/state/state.h"

namespace surety::sim {

inline Held held_by(const worker::State& state) {
  Held held{state.session, state.iteration, learn::model_checksum(state.model), {}};
  for (const auto& [id, chunk] : state.chunks.own()) held.chunks.push_back(id);
  return held;
}

}  // namespace surety::sim
