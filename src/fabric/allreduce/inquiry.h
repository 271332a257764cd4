// Questions between the members of a round. A member that waits for messages asks their senders
// what they have sent. Messages of a connection arrive in order, so whoever has fewer messages than
// the answer says has lost one (round.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/transport/transport.h"

namespace surety::fabric {

// What a worker has sent to the one that asks.
struct SentInRound {
  std::uint32_t messages = 0;
  bool is_over = false;  // It sends no more in this round: it has finished the round or left it.
  friend bool operator==(const SentInRound&, const SentInRound&) = default;
};

// ---- on the wire --------------------------------------------------------------------------------

// In tag.round, questions and answers have this bit set, and tag.step says which of the two it is.
inline constexpr std::uint64_t kInquiryBit = 1ull << 62;
enum class InquiryStep : std::uint32_t { kQuestion = 0, kAnswer = 1 };

[[nodiscard]] Tag inquiry_tag(std::uint64_t round, std::uint32_t sender, InquiryStep step);
[[nodiscard]] std::vector<std::byte> to_bytes(const SentInRound& sent);
// None if the bytes are no answer.
[[nodiscard]] std::optional<SentInRound> sent_from_bytes(std::span<const std::byte> bytes);

}  // namespace surety::fabric
