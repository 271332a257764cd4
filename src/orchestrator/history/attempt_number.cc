#include "orchestrator/history/attempt_number.h"

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace {

template <typename Fact>
std::optional<std::uint32_t> attempt_in(const Fact& fact) {
  return fact.has_attempt() ? std::optional(fact.attempt()) : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> attempt_of(const proto::PassDone& pass) { return attempt_in(pass); }

std::optional<std::uint32_t> attempt_of(const proto::CheckpointCommitted& checkpoint) {
  return attempt_in(checkpoint);
}

std::optional<std::uint32_t> attempt_of(const proto::Certified& certified) {
  return attempt_in(certified);
}

std::optional<std::uint32_t> attempt_spent_on(const proto::JournalRecord& record,
                                              std::optional<std::uint32_t> newest) {
  using Fact = proto::JournalRecord;
  switch (record.fact_case()) {
    case Fact::kPassDone:
      return attempt_of(record.pass_done());
    case Fact::kCheckpointCommitted:
      return attempt_of(record.checkpoint_committed());
    case Fact::kCertified:
      return attempt_of(record.certified());
    // Attempts that end without a failure were abandoned, some time after their passes.
    case Fact::kAttemptEnded:
      if (!record.attempt_ended().did_not_learn()) return std::nullopt;
      return record.attempt_ended().attempt();
    // An attempt begins with this record. Only the first one has been measured before it.
    case Fact::kAttemptBegan:
      return newest.value_or(record.attempt_began().attempt());
    case Fact::kRunResumed:
    case Fact::kRunStopped:
    case Fact::kRunEnded:
      return newest;
    default:
      return std::nullopt;
  }
}

}  // namespace surety::orchestrator
