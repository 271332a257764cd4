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

}  // namespace surety::orchestrator
