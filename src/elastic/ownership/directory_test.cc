#include "elastic/ownership/directory.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "elastic/ownership/directory_test.h"

namespace surety::elastic {
namespace directory_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WorkerId kW1{1};
constexpr WorkerId kW2{2};
constexpr WorkerId kW3{3};
constexpr ChunkId kC0{0};
constexpr ChunkId kC1{1};

std::vector<ChunkSize> chunks(std::uint32_t count, std::uint32_t samples = 10) {
  std::vector<ChunkSize> sizes;
  for (std::uint32_t i = 0; i < count; ++i) {
    sizes.push_back({.id = ChunkId{i}, .samples = samples, .bytes = 8 * samples});
  }
  return sizes;
}

// Runs one boundary and confirms every grant, with its state.
Boundary confirm_all(Directory& directory) {
  Boundary boundary = directory.boundary({});
  for (const Grant& grant : boundary.grants) directory.confirm(grant);
  EXPECT_EQ(directory.violation(), std::nullopt);
  return boundary;
}

// A directory with these workers and all grants confirmed.
Directory directory_of(std::uint32_t count, const std::vector<WorkerId>& workers) {
  Directory directory(chunks(count));
  for (const WorkerId worker : workers) directory.join(worker);
  confirm_all(directory);
  return directory;
}

std::map<WorkerId, int> owned(const Directory& directory) {
  std::map<WorkerId, int> counts;
  for (const Entry& entry : directory.entries()) {
    if (entry.state == Ownership::kOwned) ++counts[entry.owner];
  }
  return counts;
}

TEST(Directory, AtFirstAllChunksAreOrphans) {
  const Directory directory(chunks(3));
  for (const Entry& entry : directory.entries()) EXPECT_EQ(entry.state, Ownership::kOrphan);
  EXPECT_THAT(directory.workers(), IsEmpty());
  EXPECT_EQ(directory.samples_left(), 30u);
  EXPECT_EQ(directory.violation(), std::nullopt);
}

TEST(Directory, AnOrphanStaysWhereItsSamplesAre) {
  Directory directory(chunks(6));
  for (const WorkerId worker : {kW1, kW2}) directory.join(worker);
  for (const std::uint32_t chunk : {0, 1, 2}) directory.has_samples(kW2, ChunkId{chunk});
  const Boundary boundary = confirm_all(directory);
  // All chunks are granted, because no worker has their state.
  EXPECT_THAT(boundary.grants, SizeIs(6));
  for (const Grant& grant : boundary.grants) {
    EXPECT_EQ(grant.to, grant.chunk.value < 3 ? kW2 : kW1) << grant.chunk.value;
    EXPECT_FALSE(grant.from);
  }
}

TEST(Directory, ASampleHoldersShareIsNoLargerThanTheOthers) {
  Directory directory(chunks(20));
  for (const WorkerId worker : {kW1, kW2}) directory.join(worker);
  for (std::uint32_t chunk = 0; chunk < 20; ++chunk) directory.has_samples(kW2, ChunkId{chunk});
  confirm_all(directory);
  EXPECT_EQ(owned(directory), (std::map<WorkerId, int>{{kW1, 10}, {kW2, 10}}));
}

TEST(Directory, SamplesOfADeadWorkerHaveNoPlace) {
  Directory directory(chunks(2));
  for (const WorkerId worker : {kW1, kW2}) directory.join(worker);
  directory.has_samples(kW2, kC0);
  directory.has_samples(kW2, kC1);
  directory.lose(kW2);
  confirm_all(directory);
  EXPECT_EQ(owned(directory), (std::map<WorkerId, int>{{kW1, 2}}));
}

TEST(Directory, TheFirstBoundaryGrantsEveryChunkFromItsSource) {
  Directory directory(chunks(4));
  directory.join(kW1);
  directory.join(kW2);
  const auto grants = directory.boundary({}).grants;
  EXPECT_THAT(grants,
              ElementsAre(Grant{kC0, 1, kW1, std::nullopt}, Grant{kC1, 1, kW2, std::nullopt},
                          Grant{ChunkId{2}, 1, kW1, std::nullopt},
                          Grant{ChunkId{3}, 1, kW2, std::nullopt}));
  EXPECT_EQ(pending_grants(directory.entries()), grants);
  for (const Grant& grant : grants) directory.confirm(grant);
  EXPECT_THAT(pending_grants(directory.entries()), IsEmpty());
  EXPECT_THAT(owned(directory), ElementsAre(std::pair{kW1, 2}, std::pair{kW2, 2}));
}

TEST(Directory, WorkTakesAQuotaOfTheLowestUnfinishedChunks) {
  Directory directory = directory_of(4, {kW1, kW2});
  directory.commit(directory.work(4));
  EXPECT_THAT(directory.work(8)[kW1], ElementsAre(Work{kC0, 1, 4, 6}, Work{ChunkId{2}, 1, 0, 2}));
}

TEST(Directory, WorkGivesNoWorkToTheFinished) {
  Directory directory = directory_of(3, {kW1, kW2});  // They have 20 and 10 samples.
  directory.commit(directory.work(10));
  EXPECT_THAT(directory.work(10), SizeIs(1));
  EXPECT_TRUE(directory.work(10).contains(kW1));
}

TEST(Directory, UncommittedWorkDoesNotCount) {
  Directory directory = directory_of(2, {kW1});
  const auto aborted = directory.work(7);
  EXPECT_EQ(directory.samples_left(), 20u);
  EXPECT_EQ(directory.work(7), aborted);
}

TEST(Directory, AWorkerMayBeLeftOutOfACommit) {
  Directory directory = directory_of(2, {kW1, kW2});
  auto work = directory.work(10);
  work.erase(kW2);
  directory.commit(work);
  EXPECT_EQ(directory.entries()[0].samples_done, 10u);
  EXPECT_EQ(directory.entries()[1].samples_done, 0u);
}

TEST(Directory, APassEndsWhenEverySampleIsDoneAndTheNextStartsFromZero) {
  Directory directory = directory_of(2, {kW1, kW2});
  directory.commit(directory.work(9));
  EXPECT_FALSE(directory.is_pass_finished());
  directory.commit(directory.work(9));
  EXPECT_TRUE(directory.is_pass_finished());
  EXPECT_THAT(directory.work(9), IsEmpty());
  directory.begin_pass();
  EXPECT_EQ(directory.samples_left(), 20u);
}

TEST(Directory, ALeaverHandsItsChunksOverWithTheirState) {
  Directory directory = directory_of(4, {kW1, kW2});
  directory.leave(kW2);
  EXPECT_FALSE(directory.has_departed(kW2));
  const auto grants = directory.boundary({}).grants;
  EXPECT_THAT(grants, ElementsAre(Grant{kC1, 2, kW1, kW2}, Grant{ChunkId{3}, 2, kW1, kW2}));
  directory.confirm(grants[0]);
  // It still holds the copy of the other chunk.
  EXPECT_FALSE(directory.has_departed(kW2));
  directory.confirm(grants[1]);
  EXPECT_TRUE(directory.has_departed(kW2));
  EXPECT_THAT(directory.workers(), ElementsAre(kW1));
}

TEST(Directory, ALeaverWithoutAChunkDepartsAtOnce) {
  Directory directory = directory_of(1, {kW1, kW2});
  directory.leave(kW2);
  EXPECT_TRUE(directory.has_departed(kW2));
  EXPECT_FALSE(directory.has_departed(kW3));  // It was never here.
}

TEST(Directory, TheLastLeaverStaysUntilAnotherWorkerJoins) {
  Directory directory = directory_of(2, {kW1});
  directory.leave(kW1);
  EXPECT_EQ(directory.staying(), 0u);
  EXPECT_FALSE(directory.has_departed(kW1));
  // Its last work still counts.
  EXPECT_THAT(directory.work(5)[kW1], SizeIs(1));
  directory.join(kW2);
  EXPECT_EQ(directory.staying(), 1u);
  confirm_all(directory);
  EXPECT_TRUE(directory.has_departed(kW1));
  EXPECT_THAT(owned(directory), ElementsAre(std::pair{kW2, 2}));
}

TEST(Directory, AReceiverThatLeavesReceivesFirst) {
  Directory directory = directory_of(2, {kW1});
  directory.join(kW2);
  const auto grants = directory.boundary({}).grants;
  ASSERT_THAT(grants, ElementsAre(Grant{kC0, 2, kW2, kW1}));
  directory.leave(kW2);
  EXPECT_FALSE(directory.has_departed(kW2));
  directory.confirm(grants[0]);
  EXPECT_FALSE(directory.has_departed(kW2));
  confirm_all(directory);
  EXPECT_TRUE(directory.has_departed(kW2));
}

TEST(Directory, ADeadWorkersChunksKeepTheirProgressAndLoseTheirState) {
  Directory directory = directory_of(2, {kW1, kW2});
  directory.commit(directory.work(6));
  directory.lose(kW2);
  EXPECT_EQ(directory.entries()[1].state, Ownership::kOrphan);
  // The dead worker's last messages are about version 1.
  EXPECT_EQ(directory.entries()[1].version, 2u);
  const auto boundary = confirm_all(directory);
  ASSERT_THAT(boundary.grants, SizeIs(1));
  EXPECT_EQ(boundary.grants[0].from, std::nullopt);
  EXPECT_EQ(boundary.grants[0].to, kW1);
  EXPECT_EQ(directory.entries()[1].samples_done, 6u);
}

TEST(Directory, AnOwnerThatBeganWithoutStateHandsItsOwnOver) {
  Directory directory = directory_of(1, {kW1});
  directory.lose(kW1);
  directory.join(kW2);
  EXPECT_EQ(confirm_all(directory).grants.at(0).from, std::nullopt);
  directory.join(kW3);
  directory.leave(kW2);
  EXPECT_EQ(confirm_all(directory).grants.at(0).from, kW2);
}

// A hand-over of chunk 1 from worker 2, which leaves, to worker 1.
struct HandOver {
  Directory directory = directory_of(2, {kW1, kW2});
  Grant grant;
  HandOver() {
    directory.commit(directory.work(6));
    directory.leave(kW2);
    grant = directory.boundary({}).grants.at(0);
  }
  Entry entry() const { return directory.entries()[1]; }
};

TEST(Directory, IfTheSenderDiesTheGrantStandsAndTheStateIsLost) {
  HandOver over;
  over.directory.lose(kW2);
  EXPECT_EQ(over.entry().state, Ownership::kHanding);
  EXPECT_THAT(pending_grants(over.directory.entries()),
              ElementsAre(Grant{kC1, over.grant.version, kW1, std::nullopt}));
  over.directory.confirm(over.grant);
  EXPECT_EQ(over.entry().owner, kW1);
  EXPECT_EQ(over.entry().samples_done, 6u);
  // A leaver that died is lost and has not departed.
  EXPECT_FALSE(over.directory.has_departed(kW2));
  EXPECT_EQ(over.directory.violation(), std::nullopt);
}

TEST(Directory, IfTheReceiverDiesTheHolderHasTheChunkAgain) {
  HandOver over;
  over.directory.lose(kW1);
  EXPECT_EQ(over.entry().state, Ownership::kOwned);
  EXPECT_EQ(over.entry().owner, kW2);
  EXPECT_EQ(over.entry().holder, std::nullopt);
  EXPECT_GT(over.entry().version, over.grant.version);
  EXPECT_FALSE(over.directory.has_departed(kW2));
}

TEST(Directory, IfBothDieTheChunkIsAnOrphan) {
  for (const auto& [first, second] : {std::pair{kW1, kW2}, std::pair{kW2, kW1}}) {
    HandOver over;
    over.directory.lose(first);
    over.directory.lose(second);
    EXPECT_EQ(over.entry().state, Ownership::kOrphan);
    EXPECT_EQ(over.entry().samples_done, 6u);
    EXPECT_EQ(over.directory.violation(), std::nullopt);
  }
}

TEST(Directory, AConfirmationOfAnOlderGrantIsIgnored) {
  HandOver over;
  over.directory.lose(kW1);  // Worker 2 owns the chunk again.
  over.directory.confirm(over.grant);
  EXPECT_EQ(over.entry().owner, kW2);
  over.directory.join(kW3);
  (void)over.directory.boundary({});
  over.directory.confirm(over.grant);
  // It is granted to worker 3, at a newer version.
  EXPECT_EQ(over.entry().state, Ownership::kHanding);
}

TEST(Directory, ASecondConfirmationIsIgnored) {
  HandOver over;
  over.directory.confirm(over.grant);
  const std::vector<Entry> before = over.directory.entries();
  over.directory.confirm(over.grant);
  EXPECT_EQ(over.directory.entries()[1].version, before[1].version);
  EXPECT_EQ(over.directory.entries()[1].owner, kW1);
}

TEST(Directory, AnOrphanWhoseReceiverDiesIsAnOrphanAgain) {
  Directory directory(chunks(1));
  directory.join(kW1);
  const auto grant = directory.boundary({}).grants.at(0);
  directory.lose(kW1);
  EXPECT_EQ(directory.entries()[0].state, Ownership::kOrphan);
  EXPECT_GT(directory.entries()[0].version, grant.version);
}

TEST(Directory, ProgressSurvivesTheDeathOfEveryWorker) {
  Directory directory = directory_of(4, {kW1, kW2});
  directory.commit(directory.work(15));
  directory.lose(kW1);
  directory.lose(kW2);
  EXPECT_THAT(directory.workers(), IsEmpty());
  EXPECT_EQ(directory.samples_left(), 10u);
  directory.join(kW3);
  confirm_all(directory);
  directory.commit(directory.work(10));
  EXPECT_TRUE(directory.is_pass_finished());
}

TEST(Directory, OrphansAreGrantedBeforeLeaversChunks) {
  // Worker 2 has chunks 1 and 4, worker 3 has 2 and 5.
  Directory directory = directory_of(6, {kW1, kW2, kW3});
  directory.leave(kW2);
  directory.lose(kW3);
  const auto grants = directory.boundary({}).grants;
  ASSERT_THAT(grants, SizeIs(4));
  EXPECT_THAT((std::vector{grants[0].chunk.value, grants[1].chunk.value, grants[2].chunk.value,
                           grants[3].chunk.value}),
              ElementsAre(2, 5, 1, 4));
  EXPECT_EQ(grants[0].from, std::nullopt);
  EXPECT_EQ(grants[3].from, kW2);
}

TEST(Directory, TheReasonSaysWhatWasDone) {
  Directory directory = directory_of(6, {kW1, kW2});
  directory.lose(kW2);
  directory.join(kW3);
  EXPECT_EQ(
      directory.boundary({}).reason,
      "3 without an owner; over a whole pass, the work of two workers differs by at most 0 "
      "samples (before: 30), and over the rest of this pass by at most 0 (before: 30). A "
      "difference of 10 samples is allowed: balanced. A pass takes 1.00 times the ideal time");
}

TEST(Directory, WorkOfALostWorkerIsNoLongerCurrent) {
  Directory directory = directory_of(2, {kW1, kW2});
  const auto work = directory.work(5);
  EXPECT_TRUE(directory.is_current(kW2, work.at(kW2)[0]));
  EXPECT_FALSE(directory.is_current(kW1, work.at(kW2)[0]));
  directory.lose(kW2);
  EXPECT_FALSE(directory.is_current(kW2, work.at(kW2)[0]));
  EXPECT_TRUE(directory.is_current(kW1, work.at(kW1)[0]));
}

TEST(Directory, WorkFromBeforeAReclaimIsNoLongerCurrent) {
  HandOver over;
  const Work before{.chunk = kC1, .version = over.grant.version - 1, .first = 6, .count = 4};
  over.directory.lose(kW1);  // Worker 2 owns the chunk again, with the same samples done.
  EXPECT_FALSE(over.directory.is_current(kW2, before));
}

TEST(Directory, TheLossOfAnUnknownOrDepartedWorkerHasNoEffect) {
  Directory directory = directory_of(2, {kW1, kW2});
  directory.leave(kW2);
  confirm_all(directory);
  directory.lose(kW2);
  directory.leave(kW2);
  directory.lose(kW3);
  directory.leave(kW3);
  EXPECT_TRUE(directory.has_departed(kW2));
  EXPECT_EQ(directory.violation(), std::nullopt);
}

TEST(DirectoryDeathTest, StaleOrRepeatedWorkIsABugOfTheCaller) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Directory directory = directory_of(1, {kW1});
  const auto work = directory.work(5);
  directory.commit(work);
  EXPECT_DEATH(directory.commit(work), "is_current");
}

TEST(DirectoryDeathTest, ABoundaryWithAnUnconfirmedGrantIsABugOfTheCaller) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  HandOver over;
  EXPECT_DEATH((void)over.directory.boundary({}), "kHanding");
}

// Chunks may have any size, and the quota any value: after the first boundary no chunk moves, in
// this pass or the next.
TEST(Directory, ConstantMembershipMovesNothing) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    auto sizes = chunks(static_cast<std::uint32_t>(1 + random.below(40)));
    for (ChunkSize& size : sizes) size.samples = static_cast<std::uint32_t>(1 + random.below(50));
    Directory directory(sizes);
    const std::uint64_t workers = 1 + random.below(6);
    for (std::uint32_t w = 1; w <= workers; ++w) directory.join(WorkerId{w});
    confirm_all(directory);
    const auto quota = static_cast<std::uint32_t>(1 + random.below(60));
    for (int passes = 0; passes < 3;) {
      const auto boundary = confirm_all(directory);
      ASSERT_THAT(boundary.grants, IsEmpty()) << "seed " << seed << ": " << boundary.reason;
      directory.commit(directory.work(quota));
      if (!directory.is_pass_finished()) continue;
      directory.begin_pass();
      ++passes;
    }
  }
}

}  // namespace directory_test
}  // namespace surety::elastic
