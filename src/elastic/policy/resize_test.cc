#include "elastic/policy/resize.h"

#include <gmock/gmock.h>

#include "base/random.h"

namespace surety::elastic {
namespace resize_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

IterationSize size(std::uint32_t batches, double rate) {
  return {.batches = batches, .rate = rate};
}

// The size after the warm-up.
IterationSize at_last(Resize& resize, std::uint32_t workers) {
  for (std::uint32_t i = 0; i < Resize::kWarmUp; ++i) {
    static_cast<void>(resize.iteration(workers));
    resize.on_committed();
  }
  return resize.iteration(workers);
}

TEST(Resize, KeptBatchesAreDividedAmongThePresentWorkers) {
  Resize resize(OnResize::kKeepBatch, 16);
  for (const std::uint32_t workers : {4u, 8u, 2u, 64u, 1u}) {
    EXPECT_EQ(resize.iteration(workers), size(64, 1)) << workers;
  }
}

// The settings are intended for 2 workers of 4 batches. 16 workers take at least one batch each,
// twice as many as intended.
TEST(Resize, ManyWorkersWithManyStepsHaveBatchesInEveryIteration) {
  for (const OnResize rule : {OnResize::kKeepBatch, OnResize::kScaleRate, OnResize::kNone}) {
    Resize resize(rule, 1u << 16);
    EXPECT_EQ(resize.iteration(1u << 16).batches, 10'000'000u);
  }
}

TEST(Resize, BeyondOneBatchEachTheRateMakesUpForTheRest) {
  Resize resize(OnResize::kKeepBatch, 4);
  EXPECT_EQ(resize.iteration(2), size(8, 1));
  EXPECT_EQ(at_last(resize, 16), size(16, 2));
  EXPECT_THAT(
      resize.reason(),
      HasSubstr("16 workers, and local_steps is set for 2: each takes 1 local step; an average "
                "covers 2 times the samples, so the learning rate is 2 times as high"));
}

TEST(Resize, AScaledRateIsProportionalToTheWorkers) {
  Resize resize(OnResize::kScaleRate, 16);
  EXPECT_EQ(resize.iteration(4), size(64, 1));
  EXPECT_EQ(at_last(resize, 8), size(128, 2));
  EXPECT_EQ(at_last(resize, 1), size(16, 0.25));
}

TEST(Resize, ARateRisesOverFiveCommittedIterationsAndFallsAtOnce) {
  Resize resize(OnResize::kScaleRate, 16);
  static_cast<void>(resize.iteration(2));
  for (const double rate : {1.2, 1.4, 1.6, 1.8, 2.0, 2.0}) {
    EXPECT_DOUBLE_EQ(resize.iteration(4).rate, rate);
    EXPECT_DOUBLE_EQ(resize.iteration(4).rate, rate);  // The last iteration was not committed.
    resize.on_committed();
  }
  EXPECT_EQ(resize.iteration(2).rate, 1);
}

// The rate continues from the value that it has reached, not from its last target.
TEST(Resize, AChangeDuringTheWarmUpContinuesFromTheCurrentRate) {
  Resize resize(OnResize::kScaleRate, 16);
  static_cast<void>(resize.iteration(2));
  EXPECT_DOUBLE_EQ(resize.iteration(4).rate, 1.2);
  EXPECT_DOUBLE_EQ(resize.iteration(6).rate, 1.2 + 1.8 / 5);
  EXPECT_EQ(at_last(resize, 6).rate, 3);
  EXPECT_DOUBLE_EQ(resize.iteration(8).rate, 3.2);
}

TEST(Resize, NoneChangesNothingButTheSamples) {
  Resize resize(OnResize::kNone, 16);
  EXPECT_EQ(resize.iteration(4), size(64, 1));
  EXPECT_EQ(resize.iteration(8), size(128, 1));
  EXPECT_THAT(resize.reason(), HasSubstr("2 times the samples"));
}

TEST(Resize, WithTheReferenceWorkersEveryRuleKeepsTheSettings) {
  for (const OnResize rule : {OnResize::kKeepBatch, OnResize::kScaleRate, OnResize::kNone}) {
    Resize resize(rule, 16);
    resize.set_reference_workers(4);
    EXPECT_EQ(resize.iteration(4), size(64, 1));
    EXPECT_THAT(resize.reason(), IsEmpty());
    static_cast<void>(resize.iteration(3));
    EXPECT_EQ(at_last(resize, 4), size(64, 1));
    // A plan continues with a block that was measured with two workers, and later there are two.
    resize.set_reference_workers(2);
    EXPECT_EQ(at_last(resize, 4).batches, rule == OnResize::kKeepBatch ? 32u : 64u);
    EXPECT_EQ(at_last(resize, 2), size(32, 1));
    EXPECT_THAT(resize.reason(),
                HasSubstr("2 workers, for which local_steps is set: each takes 16 local steps"));
  }
}

TEST(Resize, TheFirstIterationSetsTheReferenceWorkersByDefault) {
  Resize resize(OnResize::kKeepBatch, 16);
  EXPECT_EQ(resize.iteration(3), size(48, 1));
  EXPECT_EQ(resize.iteration(6), size(48, 1));
  EXPECT_THAT(resize.reason(),
              HasSubstr("6 workers, and local_steps is set for 3: each takes 8 local steps, so "
                        "that an average covers the same number of samples"));
}

// After any changes, the final rate for a sample of an average is the intended one.
TEST(Resize, RateFollowsSamplesWhateverHappenedBefore) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const OnResize rule = seed % 2 == 0 ? OnResize::kKeepBatch : OnResize::kScaleRate;
    Resize resize(rule, 1 + static_cast<std::uint32_t>(random.below(8)));
    const double meant = resize.iteration(4).batches;
    for (int i = 0; i < 20; ++i) {
      const auto workers = 1 + static_cast<std::uint32_t>(random.below(40));
      const IterationSize now = resize.iteration(workers);
      EXPECT_GE(now.batches, workers);
      // During the warm-up the rate is never above its target.
      EXPECT_LE(now.rate, now.batches / meant + 1e-12);
      if (random.uniform() < 0.5) resize.on_committed();
    }
    const IterationSize last = at_last(resize, 10);
    EXPECT_DOUBLE_EQ(last.rate, last.batches / meant);
  }
}

}  // namespace resize_test
}  // namespace surety::elastic
