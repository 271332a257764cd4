// Questions between the members of a round. A member that waits for messages asks their senders
// what they have sent. Messages of a connection arrive in order. So if a member has fewer messages
// than the answer states, a message was lost (round.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/transport/transport.h"

namespace surety::fabric {

// The messages that a worker has sent to the asking member.
struct SentInRound {
  std::uint32_t messages = 0;
  // It sends no more messages in this round, because it has finished or left the round.
  bool is_over = false;
  friend bool operator==(const SentInRound&, const SentInRound&) = default;
};

// ---- on the wire --------------------------------------------------------------------------------

// In tag.round, questions and answers have this bit set, and tag.step distinguishes the two.
inline constexpr std::uint64_t kInquiryBit = 1ull << 62;
enum class InquiryStep : std::uint32_t { kQuestion = 0, kAnswer = 1 };

[[nodiscard]] Tag inquiry_tag(std::uint64_t round, std::uint32_t sender, InquiryStep step);
[[nodiscard]] std::vector<std::byte> to_bytes(const SentInRound& sent);
// None if the bytes are not an answer.
[[nodiscard]] std::optional<SentInRound> sent_from_bytes(std::span<const std::byte> bytes);

}  // namespace surety::fabric
