#include "learn/linear/glm_evaluator.h"

#include <gtest/gtest.h>

#include <vector>

#include "learn/linear/glm_table_test.h"

namespace surety::learn {
namespace glm_evaluator_test {

constexpr data::Schema kSchema{
    .layout = data::Layout::kDenseF32, .width = 2, .features = 2, .classes = 2};
// The margins of the samples below are 3, -2 and 0.5.
const std::vector<double> kWeights{1, -2};

data::Samples three_samples() {
  data::Samples samples;
  samples.f32 = {3, 0, 0, 1, 1.5f, 0.5f};
  samples.label = {1, 1, -1};
  return samples;
}

TEST(GlmEvaluator, SumsLossesAndRightAnswersOfTheSelectedSamples) {
  const GlmEvaluator evaluator(Loss::kHinge, kSchema, kWeights);
  const std::vector<std::uint32_t> selected{0, 1};
  const Evaluation sums = evaluator.losses(three_samples(), selected).value();
  EXPECT_EQ(sums.samples, 2u);
  EXPECT_DOUBLE_EQ(sums.loss_sum, 3);         // 0 and 3.
  EXPECT_DOUBLE_EQ(sums.loss_square_sum, 9);  // The standard error needs this sum.
  EXPECT_EQ(sums.correct, 1u);
  EXPECT_EQ(sums.gap_sum, 0);
}

TEST(GlmEvaluator, ARegressionHasNoRightAnswers) {
  const GlmEvaluator evaluator(Loss::kSquared, kSchema, kWeights);
  const std::vector<std::uint32_t> selected{0, 1, 2};
  const Evaluation sums = evaluator.losses(three_samples(), selected).value();
  EXPECT_DOUBLE_EQ(sums.loss_sum, 2 + 4.5 + 1.125);
  EXPECT_FALSE(sums.correct);
}

TEST(GlmEvaluator, EachSampleAddsItsLossAndConjugateAndProductToTheGap) {
  const GlmEvaluator evaluator(Loss::kHinge, kSchema, kWeights);
  data::Chunk chunk = chunk_of(4, three_samples());
  const std::vector<const data::Chunk*> chunks{&chunk};
  // Without dual variables the terms are the losses: 0, 3 and 1.5.
  EXPECT_DOUBLE_EQ(evaluator.gap_terms(chunks, 1)->gap_sum, 4.5);
  chunk.state = {0, 1, -0.5f};
  // 3 - 1 - 2 = 0 and 1.5 - 0.5 - 0.25 = 0.75.
  EXPECT_DOUBLE_EQ(evaluator.gap_terms(chunks, 1)->gap_sum, 0.75);
  // With half the dual variables: 3 - 0.5 - 1 = 1.5 and 1.5 - 0.25 - 0.125 = 1.125.
  EXPECT_DOUBLE_EQ(evaluator.gap_terms(chunks, 0.5)->gap_sum, 2.625);
  EXPECT_DOUBLE_EQ(evaluator.gap_terms(chunks, 1)->loss_sum, 4.5);
  EXPECT_EQ(evaluator.gap_terms(chunks, 1)->samples, 3u);
}

TEST(GlmEvaluator, TermsOfChunksAreAddedUp) {
  const GlmEvaluator evaluator(Loss::kHinge, kSchema, kWeights);
  const data::Chunk one = chunk_of(0, three_samples());
  const data::Chunk two = chunk_of(1, three_samples());
  const std::vector<const data::Chunk*> chunks{&one, &two};
  EXPECT_DOUBLE_EQ(evaluator.gap_terms(chunks, 1)->gap_sum, 9);
  EXPECT_EQ(evaluator.gap_terms(chunks, 1)->samples, 6u);
}

TEST(GlmEvaluator, ADualVariableThatTheLossDoesNotAllowIsCorrupt) {
  const GlmEvaluator evaluator(Loss::kHinge, kSchema, kWeights);
  data::Chunk chunk = chunk_of(4, three_samples());
  const std::vector<const data::Chunk*> chunks{&chunk};
  chunk.state = {0, -0.5f, 0};
  const auto wrong = evaluator.gap_terms(chunks, 1);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(wrong.error().message, "chunk 4: sample 1 has dual variable -0.5, label 1");
  chunk.state = {0};
  EXPECT_EQ(evaluator.gap_terms(chunks, 1).error().message,
            "chunk 4: 1 dual variables, expected 3 or none");
}

TEST(GlmEvaluator, ALabelThatTheLossDoesNotAllowIsAnError) {
  const GlmEvaluator evaluator(Loss::kHinge, kSchema, kWeights);
  data::Samples samples = three_samples();
  samples.label[2] = 5;
  const auto wrong = evaluator.losses(samples, {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidInput);
}

}  // namespace glm_evaluator_test
}  // namespace surety::learn
