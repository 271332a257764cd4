#include "fabric/transport/frame_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/checksum.h"
#include "base/random.h"

namespace surety::fabric {
namespace frame_reader_test {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

Bytes payload_of(std::size_t bytes, Random& random) {
  Bytes made(bytes);
  for (auto& b : made) b = static_cast<std::byte>(random.next());
  return made;
}

void append(Bytes& stream, FrameHeader header, const Bytes& payload) {
  header.payload_bytes = payload.size();
  header.payload_checksum = checksum(payload);
  const FrameHeaderBytes head = encode_frame(header);
  stream.insert(stream.end(), head.begin(), head.end());
  stream.insert(stream.end(), payload.begin(), payload.end());
}

// Gives the stream to the reader, at most `step` bytes at a time, and returns its frames. `error`
// gets the text of the error that ended it.
std::vector<Frame> read(FrameReader& reader, const Bytes& stream, std::size_t step,
                        std::string& error) {
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < stream.size();) {
    const std::span<std::byte> room = reader.room();
    const std::size_t count = std::min({room.size(), step, stream.size() - at});
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
    at += count;
    auto frame = reader.advance(count);
    if (!frame) {
      error = frame.error().message;
      return frames;
    }
    if (*frame) frames.push_back(*std::move(*frame));
  }
  return frames;
}

TEST(FrameReader, ReturnsTheFramesHoweverTheStreamIsCut) {
  Random random(1);
  Bytes stream;
  std::vector<Bytes> payloads;
  for (const std::size_t bytes : {0u, 1u, 56u, 3'000'000u, 0u, 100u}) {
    payloads.push_back(payload_of(bytes, random));
    append(stream, {.sequence = payloads.size() - 1, .tag = {.step = 7}}, payloads.back());
  }
  for (const std::size_t step : {1u, 55u, 4096u, 10'000'000u}) {
    FrameReader reader(4 << 20);
    std::string error;
    const auto frames = read(reader, stream, step, error);
    EXPECT_EQ(error, "");
    ASSERT_EQ(frames.size(), payloads.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].payload, payloads[i]);
      EXPECT_EQ(frames[i].header.sequence, i);
      EXPECT_EQ(frames[i].header.tag.step, 7u);
    }
  }
}

TEST(FrameReader, EveryChangedByteIsFound) {
  Random random(2);
  Bytes stream;
  append(stream, {.sequence = 0}, payload_of(20, random));
  append(stream, {.sequence = 1}, payload_of(20, random));
  for (std::size_t at = 0; at < stream.size(); ++at) {
    Bytes changed = stream;
    changed[at] ^= static_cast<std::byte>(1u << random.below(8));
    FrameReader reader(1000);
    std::string error;
    const auto frames = read(reader, changed, 33, error);
    EXPECT_NE(error, "") << at;
    EXPECT_EQ(frames.size(), at < stream.size() / 2 ? 0u : 1u) << at;
  }
}

TEST(FrameReader, FramesThatAreLeftOutOrRepeatedAreRefused) {
  for (const std::uint64_t second : {0u, 2u}) {
    Bytes stream;
    append(stream, {.sequence = 0}, {});
    append(stream, {.sequence = second}, {});
    FrameReader reader(1000);
    std::string error;
    EXPECT_EQ(read(reader, stream, 100, error).size(), 1u);
    EXPECT_THAT(error, HasSubstr("expected frame 1"));
  }
}

TEST(FrameReader, ATooLongPayloadIsRefusedBeforeItsFirstByte) {
  Bytes stream;
  append(stream, {.sequence = 0}, Bytes(1001));
  stream.resize(kFrameHeaderBytes);
  FrameReader reader(1000);
  std::string error;
  EXPECT_TRUE(read(reader, stream, 100, error).empty());
  EXPECT_THAT(error, HasSubstr("announces 1001 bytes, but at most 1000"));
}

}  // namespace frame_reader_test
}  // namespace surety::fabric
