// The number of the attempt that a record of the journal names.
#pragma once

#include <cstdint>
#include <optional>

namespace surety::proto {
class Certified;
class CheckpointCommitted;
class PassDone;
}  // namespace surety::proto

namespace surety::orchestrator {

// From 1. Absent in a run by a plan or with fixed settings, which has only one model.
[[nodiscard]] std::optional<std::uint32_t> attempt_of(const proto::PassDone& pass);
[[nodiscard]] std::optional<std::uint32_t> attempt_of(const proto::CheckpointCommitted& checkpoint);
[[nodiscard]] std::optional<std::uint32_t> attempt_of(const proto::Certified& certified);

}  // namespace surety::orchestrator
