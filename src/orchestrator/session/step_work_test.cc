#include "orchestrator/session/step_work.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace step_work_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};

// Two workers own a chunk of ten samples each.
elastic::Directory two_owners() {
  elastic::Directory directory({{ChunkId{0}, 10, 0}, {ChunkId{1}, 10, 0}});
  directory.join(kFirst);
  directory.join(kSecond);
  for (const elastic::Grant& grant : directory.boundary({}).grants) directory.confirm(grant);
  return directory;
}

Answers done(std::uint64_t first, std::uint64_t second) {
  Answers answers;
  answers[kFirst].mutable_step_done()->set_samples(first);
  answers[kSecond].mutable_step_done()->set_samples(second);
  return answers;
}

std::uint64_t given_to(const StepWork& work, WorkerId worker) {
  const auto found = work.given().find(worker);
  return found == work.given().end() ? 0 : samples_of(found->second);
}

TEST(StepWork, AWorkerThatKeptWhatItLearnedGetsTheSameWorkAgain) {
  elastic::Directory directory = two_owners();
  for (const bool is_kept : {true, false}) {
    StepWork work;
    work.begin(directory.work(4), directory);
    work.abort(is_kept);
    EXPECT_THAT(work.given(), IsEmpty());
    work.begin(directory.work(6), directory);
    EXPECT_EQ(given_to(work, kFirst), is_kept ? 4u : 6u);
    EXPECT_EQ(given_to(work, kSecond), is_kept ? 4u : 6u);
  }
}

TEST(StepWork, WorkThatWasDoneOrChangedOwnerIsNotGivenAgain) {
  elastic::Directory directory = two_owners();
  StepWork work;
  work.begin(directory.work(4), directory);
  work.abort(true);
  directory.lose(kSecond);
  for (const elastic::Grant& grant : directory.boundary({}).grants) directory.confirm(grant);
  directory.commit(directory.work(std::map<WorkerId, std::uint32_t>{{kFirst, 2}}));
  work.begin(directory.work(6), directory);
  EXPECT_EQ(given_to(work, kFirst), 6u);
  EXPECT_EQ(given_to(work, kSecond), 0u);
}

TEST(StepWork, AfterACommitAllWorkIsFresh) {
  elastic::Directory directory = two_owners();
  StepWork work;
  work.begin(directory.work(4), directory);
  work.abort(true);
  work.begin(directory.work(6), directory);
  work.commit();
  EXPECT_THAT(work.given(), IsEmpty());
  work.begin(directory.work(6), directory);
  EXPECT_EQ(given_to(work, kFirst), 6u);
}

TEST(StepWork, AWorkerHasDoneTheFirstPartOfItsWork) {
  elastic::Directory directory = two_owners();
  StepWork work;
  work.begin(directory.work(4), directory);
  const auto result = work.done(done(3, 4));
  ASSERT_TRUE(result);
  EXPECT_EQ(samples_of(result->at(kFirst)), 3u);
  EXPECT_EQ(result->at(kFirst)[0].first, 0u);
  EXPECT_EQ(samples_of(result->at(kSecond)), 4u);
}

TEST(StepWork, WhoWasGivenNothingDoesNothing) {
  const elastic::Directory directory = two_owners();
  StepWork work;
  work.begin({{kFirst, directory.work(5).at(kFirst)}}, directory);
  ASSERT_EQ(given_to(work, kSecond), 0u);
  EXPECT_TRUE(work.done(done(5, 0)));
  const auto refused = work.done(done(5, 3));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("worker 2 has trained on 3 samples"));
}

TEST(StepWork, NoWorkerDoesMoreThanItWasGiven) {
  elastic::Directory directory = two_owners();
  StepWork work;
  work.begin(directory.work(4), directory);
  const auto result = work.done(done(4, 5));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(result.error().message, "worker 2 has trained on 5 samples, but was given 4");
}

}  // namespace step_work_test
}  // namespace surety::orchestrator
