#include "fabric/allreduce/inquiry.h"

#include "fabric/transport/little_endian.h"

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
  store_little_endian(sent.messages, bytes);
  bytes[4] = static_cast<std::byte>(sent.is_over ? 1 : 0);
  return bytes;
}

std::optional<SentInRound> sent_from_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() != kAnswerBytes || bytes[4] > std::byte{1}) return std::nullopt;
  return SentInRound{.messages = load_little_endian<std::uint32_t>(bytes),
                     .is_over = bytes[4] == std::byte{1}};
}

}  // namespace surety::fabric
