// The settings of an asynchronous iteration for a number of workers, from the job's train.mode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "job/job.h"

namespace surety::proto {
class Asynchronous;
}  // namespace surety::proto

namespace surety::orchestrator {

// False for a single worker and for mode sync, whose iterations are synchronous.
[[nodiscard]] bool is_asynchronous(const job::ModeSpec& mode, std::size_t workers);

// The options of an iteration of local SGD. REQUIRES: is_asynchronous().
[[nodiscard]] proto::Asynchronous asynchronous_of(const job::ModeSpec& mode, std::size_t workers,
                                                  std::uint32_t local_steps);
// The options of an iteration of CoCoA, which is a pass over this many samples. Updates are added;
// each covers its share of the pass. REQUIRES: is_asynchronous().
[[nodiscard]] proto::Asynchronous asynchronous_pass_of(const job::ModeSpec& mode,
                                                       std::size_t workers, std::uint64_t samples);

}  // namespace surety::orchestrator
