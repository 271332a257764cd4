// The model and the chunks that a worker holds, for the checkers.
#pragma once

#include "sim/check/check.h"
#include "worker/state/model_values.h"
#include "worker/state/state.h"

namespace surety::sim {

inline Held held_by(const worker::State& state) {
  Held held{state.session, state.iteration, worker::model_checksum(state.model), {}};
  for (const auto& [id, chunk] : state.chunks.own()) held.chunks.push_back(id);
  return held;
}

}  // namespace surety::sim
