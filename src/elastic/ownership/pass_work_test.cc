#include "elastic/ownership/pass_work.h"

#include <gmock/gmock.h>

namespace surety::elastic {
namespace pass_work_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr ChunkId kC0{0};
constexpr ChunkId kC1{1};
constexpr ChunkId kC2{2};

// Three chunks of 10 samples. Worker 1 owns the first and the last one.
const std::vector<ChunkSize> kChunks{{kC0, 10, 80}, {kC1, 10, 80}, {kC2, 10, 80}};
const std::vector<ChunkOwner> kOwners{{.state = Ownership::kOwned, .owner = kW1, .version = 1},
                                      {.state = Ownership::kOwned, .owner = kW2, .version = 5},
                                      {.state = Ownership::kOwned, .owner = kW1, .version = 3}};

void commit(PassWork& pass, const std::map<WorkerId, std::vector<Work>>& work) {
  for (const auto& [worker, pieces] : work) {
    for (const Work& piece : pieces) pass.commit(piece);
  }
}

TEST(Quotas, OneNumberIsForEachWorkerAndAMapOnlyForThoseInIt) {
  EXPECT_EQ(Quotas(7).of(kW1), 7u);
  const Quotas quotas(std::map<WorkerId, std::uint32_t>{{kW1, 3}});
  EXPECT_EQ(quotas.of(kW1), 3u);
  EXPECT_EQ(quotas.of(kW2), 0u);
}

TEST(QuotasDeathTest, NothingForEachWorkerIsABugOfTheCaller) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Quotas(0), "of_each");
}

TEST(PassWork, AQuotaCoversAllChunksOfAWorker) {
  const PassWork pass(kChunks);
  EXPECT_THAT(pass.work(kOwners, 14),
              ElementsAre(Pair(kW1, ElementsAre(Work{kC0, 1, 0, 10}, Work{kC2, 3, 0, 4})),
                          Pair(kW2, ElementsAre(Work{kC1, 5, 0, 10}))));
}

TEST(PassWork, UncommittedWorkIsAssignedAgain) {
  PassWork pass(kChunks);
  const auto aborted = pass.work(kOwners, 4);
  EXPECT_EQ(pass.work(kOwners, 4), aborted);
  EXPECT_EQ(pass.samples_left(), 30u);
  commit(pass, aborted);
  EXPECT_EQ(pass.samples_left(), 22u);
  EXPECT_EQ(pass.work(kOwners, 4).at(kW1), (std::vector{Work{kC0, 1, 4, 4}}));
}

TEST(PassWork, OnlyTheNextSamplesOfAChunkCanBeCommitted) {
  PassWork pass(kChunks);
  pass.commit({.chunk = kC1, .version = 5, .first = 0, .count = 6});
  EXPECT_EQ(pass.progress()[1].done, 6u);
  EXPECT_TRUE(pass.is_next({.chunk = kC1, .version = 5, .first = 6, .count = 4}));
  EXPECT_FALSE(pass.is_next({.chunk = kC1, .version = 5, .first = 5, .count = 4}));
  EXPECT_FALSE(pass.is_next({.chunk = kC1, .version = 5, .first = 7, .count = 3}));
  EXPECT_FALSE(pass.is_next({.chunk = kC1, .version = 5, .first = 6, .count = 5}));
  EXPECT_FALSE(pass.is_next({.chunk = kC1, .version = 5, .first = 6, .count = 0}));
}

TEST(PassWork, ANewPassHasEverySampleAgain) {
  PassWork pass(kChunks);
  commit(pass, pass.work(kOwners, 20));
  EXPECT_EQ(pass.samples_left(), 0u);
  EXPECT_THAT(pass.work(kOwners, 20), IsEmpty());
  pass.begin();
  EXPECT_EQ(pass.samples_left(), 30u);
}

TEST(PassWork, WhatAPassCutShortComesFirstInTheNextOneOnly) {
  PassWork pass(kChunks);
  commit(pass, pass.work(kOwners, 10));
  EXPECT_EQ(pass.cut_short(), 10u);
  EXPECT_EQ(pass.samples_left(), 30u);
  EXPECT_TRUE(pass.progress()[2].cut_short);
  EXPECT_EQ(pass.work(kOwners, 10).at(kW1), (std::vector{Work{kC2, 3, 0, 10}}));
  commit(pass, pass.work(kOwners, 20));
  pass.begin();
  EXPECT_FALSE(pass.progress()[2].cut_short);
  EXPECT_EQ(pass.work(kOwners, 10).at(kW1), (std::vector{Work{kC0, 1, 0, 10}}));
}

TEST(PassWorkDeathTest, APassWithSamplesLeftIsNotFinished) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  PassWork pass(kChunks);
  EXPECT_DEATH(pass.begin(), "samples_left");
}

TEST(PassWorkDeathTest, AChunkWithoutAnOwnerHasNoWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const PassWork pass(kChunks);
  std::vector<ChunkOwner> owners = kOwners;
  owners[1].state = Ownership::kHanding;
  EXPECT_DEATH((void)pass.work(owners, 4), "kOwned");
}

}  // namespace pass_work_test
}  // namespace surety::elastic
