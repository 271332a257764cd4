#include "fabric/allreduce/inquiry.h"

#include <gtest/gtest.h>

namespace surety::fabric {
namespace inquiry_test {

TEST(Inquiry, AnAnswerIsReadAsItWasWritten) {
  for (const SentInRound& sent :
       {SentInRound{}, SentInRound{2, true}, SentInRound{0xFEDCBA98, false}}) {
    EXPECT_EQ(sent_from_bytes(to_bytes(sent)), sent);
  }
}

TEST(Inquiry, OtherBytesAreNoAnswer) {
  const std::vector<std::byte> bytes = to_bytes({.messages = 2, .is_over = true});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(sent_from_bytes(std::span(bytes).first(size)).has_value()) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(sent_from_bytes(longer).has_value());
  std::vector<std::byte> neither = bytes;
  neither[4] = std::byte{2};
  EXPECT_FALSE(sent_from_bytes(neither).has_value());
}

}  // namespace inquiry_test
}  // namespace surety::fabric
