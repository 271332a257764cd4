// The number of the attempt that a record of the journal names.
#pragma once

#include <cstdint>
#include <optional>

namespace surety::proto {
class Certified;
class CheckpointCommitted;
class JournalRecord;
class PassDone;
}  // namespace surety::proto

namespace surety::orchestrator {

// Attempts are numbered from 1. The number is absent in a run by a plan or with fixed settings,
// which has only one model.
[[nodiscard]] std::optional<std::uint32_t> attempt_of(const proto::PassDone& pass);
[[nodiscard]] std::optional<std::uint32_t> attempt_of(const proto::CheckpointCommitted& checkpoint);
[[nodiscard]] std::optional<std::uint32_t> attempt_of(const proto::Certified& certified);

// The attempt on which all cost since the last record about an attempt was spent, if it is known
// yet. `newest`: the attempt of that last record. A damaged journal may give any number.
[[nodiscard]] std::optional<std::uint32_t> attempt_spent_on(const proto::JournalRecord& record,
                                                            std::optional<std::uint32_t> newest);

}  // namespace surety::orchestrator
