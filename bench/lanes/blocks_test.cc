#include "bench/lanes/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace surety::bench {
namespace blocks_test {

using namespace fabric;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(float value) {
  std::vector<std::byte> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

// Host 0 pushes a vector of 100 blocks, with an element each, to host 1.
class Owner {
 public:
  Result<void> start(std::uint32_t block) {
    return executor_.start(block, {{WorkerId{1}, {0, 1}}});
  }
  std::string receive(std::uint32_t block, float value) {
    const auto taken = executor_.receive(WorkerId{0}, {.block = block}, bytes_of(value));
    return taken ? "taken" : taken.error().message;
  }
  [[nodiscard]] const BlockedExecutor& executor() const { return executor_; }
  [[nodiscard]] const std::vector<float>& sum() const { return sum_; }

 private:
  std::vector<float> sum_ = std::vector<float>(100);
  BlockedExecutor executor_{
      {.sources = {WorkerId{0}}, .sinks = {WorkerId{1}}, .elements = 100, .blocks = 100},
      WorkerId{1},
      {},
      sum_};
};

TEST(BlockedExecutor, AMessageOfALaterBlockWaitsForItsStart) {
  Owner owner;
  EXPECT_EQ(owner.receive(1, 7), "taken");
  EXPECT_EQ(owner.executor().staged_bytes(), sizeof(float));
  ASSERT_TRUE(owner.start(0));
  ASSERT_TRUE(owner.start(1));
  EXPECT_EQ(owner.executor().staged_bytes(), 0u);
  EXPECT_EQ(owner.sum()[1], 7);
  EXPECT_EQ(owner.executor().blocks_finished(), 0u);
  EXPECT_THAT(owner.executor().waiting_for(), ElementsAre(WorkerId{0}));
  EXPECT_EQ(owner.receive(0, 5), "taken");
  EXPECT_EQ(owner.executor().blocks_finished(), 2u);
}

TEST(BlockedExecutor, MessagesTooFarAheadOrRepeatedOrOfAFinishedBlockAreRefused) {
  Owner owner;
  EXPECT_THAT(owner.receive(64, 1), HasSubstr("a block below 64"));
  EXPECT_EQ(owner.receive(63, 1), "taken");
  EXPECT_THAT(owner.receive(63, 1), HasSubstr("arrived twice"));
  ASSERT_TRUE(owner.start(0));
  EXPECT_EQ(owner.receive(0, 5), "taken");
  EXPECT_THAT(owner.receive(0, 5), HasSubstr("the block is finished"));
  EXPECT_EQ(owner.sum()[0], 5);
}

TEST(BlockedExecutor, BlocksStartInTheirOrderAndTheirLanesMustFit) {
  Owner owner;
  EXPECT_THAT(owner.start(1).error().message, HasSubstr("expected block 0"));
  BlockedExecutor other(
      {.sources = {WorkerId{0}}, .sinks = {WorkerId{1}}, .elements = 4, .blocks = 2}, WorkerId{2},
      {}, {});
  EXPECT_THAT(other.start(0, {{WorkerId{1}, {0, 3}}}).error().message,
              HasSubstr("block 0: lane 0"));
}

TEST(BlockedExecutor, AStepIsItsCode) {
  for (const std::uint32_t block : {0u, 5u, kBlocksMost - 1}) {
    for (const std::uint32_t lane : {0u, 3u, kLanesMax - 1}) {
      for (const TransferKind kind : {TransferKind::kContribution, TransferKind::kResult}) {
        for (const bool is_for_mirror : {false, true}) {
          const BlockStep step{block, is_for_mirror, {lane, kind}};
          EXPECT_EQ(decode_block_step(encode_block_step(step)), step);
          EXPECT_LT(encode_block_step(step), 1u << 30);
        }
      }
    }
  }
}

}  // namespace blocks_test
}  // namespace surety::bench
