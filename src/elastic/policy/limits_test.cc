#include "elastic/policy/limits.h"

#include <gmock/gmock.h>

namespace surety::elastic {
namespace limits_test {

using ::testing::HasSubstr;

// Observes this many iterations and returns the sentences.
std::vector<std::string> remarks_of(Limits& limits, const IterationTimes& iteration,
                                    std::size_t iterations) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < iterations; ++i) {
    if (auto sentence = limits.observe(iteration)) sentences.push_back(*sentence);
  }
  return sentences;
}

constexpr IterationTimes kFine{.workers = 4, .chunks = 40, .compute_s = 1, .sync_s = 0.5};

TEST(Limits, NoLimitIsReportedWhileMoreWorkersWouldHelp) {
  Limits limits;
  EXPECT_TRUE(remarks_of(limits, kFine, 50).empty());
}

TEST(Limits, AsManyWorkersAsChunksIsReportedOnce) {
  Limits limits;
  IterationTimes iteration = kFine;
  iteration.chunks = 4;
  const auto sentences = remarks_of(limits, iteration, 50);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_THAT(sentences[0], HasSubstr("4 workers have one chunk each"));
}

TEST(Limits, SynchronisationAboveComputingIsReportedOnceAfterAWindow) {
  Limits limits;
  IterationTimes iteration = kFine;
  iteration.sync_s = 2;
  EXPECT_TRUE(remarks_of(limits, iteration, Limits::kWindow - 1).empty());
  const auto sentences = remarks_of(limits, iteration, 50);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_THAT(sentences[0], HasSubstr("of 4 workers computes for 1 s and synchronises for 2 s"));
}

TEST(Limits, AFewSlowSynchronisationsAreNoLimit) {
  Limits limits;
  IterationTimes slow = kFine;
  slow.sync_s = 100;
  EXPECT_TRUE(remarks_of(limits, slow, 4).empty());
  EXPECT_TRUE(remarks_of(limits, kFine, 5).empty());
}

TEST(Limits, IterationsOfOtherNumbersOfWorkersAreNotMixed) {
  Limits limits;
  IterationTimes slow = kFine;
  slow.sync_s = 2;
  IterationTimes fewer = slow;
  fewer.workers = 3;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(remarks_of(limits, i % 2 == 0 ? slow : fewer, Limits::kWindow - 1).empty());
  }
}

TEST(Limits, OneWorkerHasNone) {
  Limits limits;
  EXPECT_TRUE(
      remarks_of(limits, {.workers = 1, .chunks = 1, .compute_s = 1, .sync_s = 9}, 50).empty());
}

}  // namespace limits_test
}  // namespace surety::elastic
