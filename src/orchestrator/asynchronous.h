// What an asynchronous iteration of so many workers looks like, by the job's train.mode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "orchestrator/job.h"

namespace surety::proto {
class Asynchronous;
}  // namespace surety::proto

namespace surety::orchestrator {

// An iteration of a lone worker, and one in mode sync, needs none of it.
[[nodiscard]] bool is_asynchronous(const ModeSpec& mode, std::size_t workers);

// Local SGD. REQUIRES: is_asynchronous().
[[nodiscard]] proto::Asynchronous asynchronous_of(const ModeSpec& mode, std::size_t workers,
                                                  std::uint32_t local_steps);
// CoCoA: the iteration is a pass over so many samples. Updates are added, each of its share of the
// pass. REQUIRES: is_asynchronous().
[[nodiscard]] proto::Asynchronous asynchronous_pass_of(const ModeSpec& mode, std::size_t workers,
                                                       std::uint64_t samples);

}  // namespace surety::orchestrator
