// Tests what policies may request of a directory: speeds, resting, shuffling, and parts of an
// iteration.
#include <gmock/gmock.h>

#include "elastic/ownership/directory.h"

namespace surety::elastic {
namespace directory_policy_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};

Boundary confirm_all(Directory& directory, const BoundaryPolicy& policy = {}) {
  Boundary boundary = directory.boundary(policy);
  for (const Grant& grant : boundary.grants) directory.confirm(grant);
  EXPECT_EQ(directory.violation(), std::nullopt);
  return boundary;
}

// A directory with workers 1 and 2 and chunks of 10 samples, and all grants confirmed.
Directory directory_of(std::uint32_t count, const BoundaryPolicy& policy = {}) {
  std::vector<ChunkSize> sizes;
  for (std::uint32_t i = 0; i < count; ++i) {
    sizes.push_back({.id = ChunkId{i}, .samples = 10, .bytes = 80});
  }
  Directory directory(std::move(sizes));
  directory.join(kW1);
  directory.join(kW2);
  confirm_all(directory, policy);
  return directory;
}

std::map<WorkerId, int> owned(const Directory& directory) {
  std::map<WorkerId, int> counts;
  for (const Entry& entry : directory.entries()) ++counts[entry.owner];
  return counts;
}

TEST(DirectoryPolicy, ChunksFollowTheCosts) {
  BoundaryPolicy policy;
  policy.costs = {{kW1, 1.0}, {kW2, 2.0}};
  const Directory directory = directory_of(9, policy);
  EXPECT_THAT(owned(directory), ElementsAre(std::pair{kW1, 6}, std::pair{kW2, 3}));
}

TEST(DirectoryPolicy, AWorkerThatBeginsToRestHandsItsChunksOverAndStays) {
  Directory directory = directory_of(6);
  BoundaryPolicy policy;
  policy.resting = {kW2};
  const Boundary boundary = confirm_all(directory, policy);
  ASSERT_THAT(boundary.grants, SizeIs(3));
  EXPECT_EQ(boundary.grants[0].from, kW2);  // The chunk comes with its state.
  EXPECT_THAT(boundary.reason, HasSubstr("3 of leaving or resting workers"));
  EXPECT_THAT(owned(directory), ElementsAre(std::pair{kW1, 6}));
  EXPECT_FALSE(directory.has_departed(kW2));
  confirm_all(directory);
  EXPECT_THAT(owned(directory), ElementsAre(std::pair{kW1, 3}, std::pair{kW2, 3}));
}

TEST(DirectoryPolicy, IfFewerShallWorkTheNewestBeginToRestWithinTheLimitOfBytes) {
  Directory directory = directory_of(6);
  directory.join(WorkerId{3});
  confirm_all(directory);
  BoundaryPolicy policy;
  policy.working = 1;
  // The limit is two chunks, the number that each worker has, so one worker begins to rest at a
  // time.
  policy.placement.bytes_max = 160;
  EXPECT_THAT(confirm_all(directory, policy).resting, ElementsAre(WorkerId{3}));
  EXPECT_THAT(confirm_all(directory, policy).resting, ElementsAre(kW2, WorkerId{3}));
  EXPECT_THAT(owned(directory), ElementsAre(std::pair{kW1, 6}));
  EXPECT_THAT(confirm_all(directory).resting, IsEmpty());
}

TEST(DirectoryPolicy, ShufflingWaitsUntilALossIsRepaired) {
  Directory directory = directory_of(20);
  BoundaryPolicy policy;
  policy.shuffle = ShuffleOptions{.share = 0.2};
  directory.join(WorkerId{3});
  directory.lose(kW2);
  const Boundary repair = confirm_all(directory, policy);
  EXPECT_THAT(repair.reason, ::testing::Not(HasSubstr("chunks exchanged")));
  const Boundary after = confirm_all(directory, policy);
  EXPECT_THAT(after.grants, SizeIs(4));
  EXPECT_THAT(after.reason, HasSubstr("2 pairs of chunks exchanged"));
}

TEST(DirectoryPolicy, AnotherSeedShufflesOtherChunks) {
  BoundaryPolicy policy;
  policy.shuffle = ShuffleOptions{.share = 0.2};
  Directory first = directory_of(100);
  Directory second = directory_of(100);
  EXPECT_EQ(first.boundary(policy).grants, second.boundary(policy).grants);
  Directory third = directory_of(100);
  policy.shuffle_seed = 1;
  EXPECT_NE(third.boundary(policy).grants, directory_of(100).boundary({}).grants);
  EXPECT_EQ(third.violation(), std::nullopt);
}

TEST(DirectoryPolicy, EachWorkerHasItsOwnQuota) {
  const Directory directory = directory_of(4);
  const auto work = directory.work(std::map<WorkerId, std::uint32_t>{{kW1, 15}, {kW2, 5}});
  EXPECT_THAT(work.at(kW1), SizeIs(2));
  EXPECT_EQ(work.at(kW1)[1].count, 5u);
  EXPECT_EQ(work.at(kW2)[0].count, 5u);
  EXPECT_FALSE(directory.work(std::map<WorkerId, std::uint32_t>{{kW1, 15}}).contains(kW2));
}

TEST(DirectoryPolicy, SamplesThatAWorkerDidNotReachAreItsNextWork) {
  Directory directory = directory_of(4);
  auto work = directory.work(20);
  work[kW2] = first_of(work[kW2], 13);
  directory.commit(work);
  EXPECT_EQ(directory.samples_left(), 7u);
  const auto rest = directory.work(20);
  ASSERT_THAT(rest.at(kW2), SizeIs(1));
  EXPECT_EQ(rest.at(kW2)[0].first, 3u);
  EXPECT_EQ(rest.at(kW2)[0].count, 7u);
  EXPECT_FALSE(rest.contains(kW1));
}

TEST(FirstOf, EndsInTheMiddleOfAChunk) {
  const std::vector<Work> work{{.chunk = ChunkId{0}, .version = 1, .first = 4, .count = 6},
                               {.chunk = ChunkId{1}, .version = 1, .first = 0, .count = 5}};
  EXPECT_THAT(first_of(work, 0), IsEmpty());
  EXPECT_THAT(first_of(work, 6), ElementsAre(work[0]));
  const auto eight = first_of(work, 8);
  ASSERT_THAT(eight, SizeIs(2));
  EXPECT_EQ(eight[1].count, 2u);
  EXPECT_EQ(first_of(work, 11), work);
}

TEST(DirectoryPolicy, ChunksOfAPassCutShortComeFirstInTheNext) {
  Directory directory = directory_of(4);
  auto work = directory.work(20);
  const ChunkId last = work[kW2].back().chunk;
  work[kW2].pop_back();
  directory.commit(work);
  EXPECT_EQ(directory.cut_pass_short(), 10u);
  EXPECT_EQ(directory.samples_left(), 40u);
  EXPECT_EQ(directory.work(20).at(kW2).front().chunk, last);
  directory.commit(directory.work(20));
  directory.begin_pass();
  EXPECT_NE(directory.work(20).at(kW2).front().chunk, last);
}

}  // namespace directory_policy_test
}  // namespace surety::elastic
