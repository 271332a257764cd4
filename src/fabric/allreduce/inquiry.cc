#include "fabric/allreduce/inquiry.h"

namespace surety::fabric {
namespace {

// The number of messages, lowest byte first, and whether the round is over: 0 or 1.
constexpr std::size_t kAnswerBytes = 5;

}  // namespace

Tag inquiry_tag(std::uint64_t round, std::uint32_t sender, InquiryStep step) {
  return {.round = round | kInquiryBit, .sender = sender, .step = static_cast<std::uint32_t>(step)};
}

std::vector<std::byte> to_bytes(const SentInRound& sent) {
  std::vector<std::byte> bytes(kAnswerBytes);
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[i] = static_cast<std::byte>(sent.messages >> (8 * i));
  }
  bytes[4] = static_cast<std::byte>(sent.is_over ? 1 : 0);
  return bytes;
}

std::optional<SentInRound> sent_from_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() != kAnswerBytes || bytes[4] > std::byte{1}) return std::nullopt;
  SentInRound sent{.is_over = bytes[4] == std::byte{1}};
  for (std::size_t i = 0; i < 4; ++i) {
    sent.messages |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  }
  return sent;
}

}  // namespace surety::fabric
