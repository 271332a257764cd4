#include "orchestrator/training/committed_model.h"

#include <gmock/gmock.h>

namespace surety::orchestrator {
namespace committed_model_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};
const std::vector<WorkerId> kBoth{kFirst, kSecond};
const SavedModel kSaved{.path = "saved", .version = "full", .checksum = 7};

Answers prepared_with(std::uint64_t first, std::uint64_t second) {
  Answers answers;
  answers[kFirst].mutable_prepared()->set_model_checksum(first);
  answers[kSecond].mutable_prepared()->set_model_checksum(second);
  return answers;
}

// The first worker holds the model with checksum 7.
CommittedModel held_by_the_first() {
  CommittedModel model("full");
  EXPECT_TRUE(model.agree(prepared_with(7, 7)));
  model.hand_to(kFirst);
  model.begin({.parameters = 100, .parent = 20, .average = std::nullopt});
  return model;
}

TEST(CommittedModel, ThereIsNoneUntilWorkersHaveMadeIt) {
  CommittedModel model("full");
  EXPECT_FALSE(model.exists());
  EXPECT_TRUE(model.source(kBoth, std::nullopt, false).fresh());
  EXPECT_EQ(model.source(kBoth, kSaved, false).checkpoint(), "saved");
  EXPECT_THAT(model.holders(kBoth), IsEmpty());
  EXPECT_TRUE(held_by_the_first().exists());
}

TEST(CommittedModel, WorkersWithoutItReceiveItFromThoseThatHoldIt) {
  CommittedModel model = held_by_the_first();
  const proto::Transfer transfer = model.source(kBoth, kSaved, true).transfer();
  EXPECT_THAT(transfer.holders(), ElementsAre(1));
  EXPECT_THAT(transfer.receivers(), ElementsAre(2));
  EXPECT_EQ(transfer.version(), "full");
  EXPECT_EQ(transfer.parameters(), 100u);
  EXPECT_EQ(transfer.parent(), 20u);
  EXPECT_EQ(transfer.velocity(), 100u);
  EXPECT_EQ(model.source(kBoth, kSaved, false).transfer().velocity(), 0u);
  EXPECT_TRUE(model.source({kFirst}, kSaved, true).keep());
  model.hand_to(kSecond);
  EXPECT_TRUE(model.source(kBoth, kSaved, true).keep());
  model.forget(kFirst);
  EXPECT_THAT(model.holders(kBoth), ElementsAre(kSecond));
}

TEST(CommittedModel, NothingIsCommittedIfWorkersHoldDifferentBytes) {
  CommittedModel model = held_by_the_first();
  model.commit_step(false);
  const auto agreed = model.agree(prepared_with(8, 9));
  ASSERT_FALSE(agreed);
  EXPECT_EQ(agreed.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(agreed.error().message,
              HasSubstr("workers 1 and 2 hold different models after iteration 1 "));
  EXPECT_EQ(model.checksum(), 7u);
}

TEST(CommittedModel, NothingIsCommittedIfModelsHaveDifferentSizes) {
  CommittedModel model("full");
  Answers answers = prepared_with(7, 7);
  answers[kSecond].mutable_prepared()->set_parameters(1ull << 40);
  const auto agreed = model.agree(answers);
  ASSERT_FALSE(agreed);
  EXPECT_THAT(agreed.error().message,
              HasSubstr("workers 1 and 2 hold models of different sizes after iteration 0"));
}

TEST(CommittedModel, APrepareLeavesItAsItIs) {
  CommittedModel model = held_by_the_first();
  EXPECT_TRUE(model.agree(prepared_with(7, 7)));
  // All agree on another model than the committed one, for example because the holder's memory
  // changed before it sent the model.
  const auto agreed = model.agree(prepared_with(9, 9));
  ASSERT_FALSE(agreed);
  EXPECT_THAT(agreed.error().message,
              HasSubstr("hold another model than the one of iteration 0 (0000000000000009, and "
                        "0000000000000007 was committed)"));
  EXPECT_EQ(model.checksum(), 7u);
}

TEST(CommittedModel, EachCommitIsTheNextIteration) {
  CommittedModel model = held_by_the_first();
  EXPECT_EQ(model.iteration(), 0u);
  model.commit_step(true);
  EXPECT_EQ(model.source(kBoth, std::nullopt, false).transfer().average(), 100u);
  model.commit_switch("pruned", {.parameters = 50, .parent = 100, .average = 50});
  EXPECT_EQ(model.version(), "pruned");
  EXPECT_EQ(model.source(kBoth, std::nullopt, false).transfer().parent(), 100u);
  model.commit_step(false);
  EXPECT_EQ(model.source(kBoth, std::nullopt, false).transfer().average(), 0u);
  model.commit_sum();
  EXPECT_EQ(model.iteration(), 4u);
}

TEST(CommittedModel, ALostPartOfAModelIsSummedAgain) {
  CommittedModel model("full");
  model.lose_part();
  EXPECT_FALSE(model.needs_sum());  // There is no sum yet.
  model = held_by_the_first();
  model.lose_part();
  EXPECT_TRUE(model.needs_sum());
  model.commit_sum();
  EXPECT_FALSE(model.needs_sum());
}

TEST(CommittedModel, AMeasurementIsOfOneModelOnly) {
  CommittedModel model = held_by_the_first();
  EXPECT_FALSE(model.is_metric_stale());
  model.note_measured();
  EXPECT_FALSE(model.is_metric_stale());
  Answers stepped;
  stepped[kFirst].mutable_step_done()->set_model_checksum(8);
  EXPECT_TRUE(model.agree(stepped));
  EXPECT_TRUE(model.is_metric_stale());
}

}  // namespace committed_model_test
}  // namespace surety::orchestrator
