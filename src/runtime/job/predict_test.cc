// How a model is applied to a source: features by name or by place, with labels or without.
#include "runtime/job/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/data/formats/memory_files.h"

namespace surety::runtime {
namespace predict_test {

using data::Labels;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A regression that predicts 10 age + height.
learn::LinearModel model_of(std::vector<std::string> feature_names) {
  learn::LinearModel model{.solver = "L2R_L2LOSS_SVR",
                           .labels = {},
                           .features = 2,
                           .feature_names = std::move(feature_names),
                           .columns = {}};
  model.columns = {{.weights = {10, 1}, .bias_weight = 0}};
  return model;
}

struct Outcome {
  Result<Predicted> predicted;
  std::vector<double> predictions;
  std::vector<double> scores;
};

Outcome predict(const learn::LinearModel& model, const std::string& url, const std::string& text,
                Labels labels = Labels::kIfNamed, Scores scores = Scores::kNone) {
  const auto predictor = learn::make_linear_predictor(model);
  Outcome outcome;
  outcome.predicted = predict_source(
      *predictor, data::parse_url(url).value(), labels, scores, data::memory_files({{"t", text}}),
      [&](const PredictedBlock& block) {
        outcome.predictions.insert(outcome.predictions.end(), block.predictions.begin(),
                                   block.predictions.end());
        outcome.scores.insert(outcome.scores.end(), block.scores.begin(), block.scores.end());
        return Result<void>();
      });
  return outcome;
}

const std::vector<std::string> kNames{"age", "height"};

TEST(PredictSource, ColumnsAreFoundByNameInAnyOrder) {
  for (const char* text : {"age,height\n1,2\n", "height,age\n2,1\n", "id,height,age\nx,2,1\n"}) {
    const Outcome outcome = predict(model_of(kNames), "csv://t", text);
    ASSERT_TRUE(outcome.predicted) << outcome.predicted.error().message;
    EXPECT_THAT(outcome.predictions, ElementsAre(12)) << text;
    EXPECT_TRUE(outcome.predicted->has_columns);
  }
  EXPECT_THAT(
      predict(model_of(kNames), "csv://t", "id,height,age\nx,2,1\n").predicted->ignored_columns,
      ElementsAre("id"));
}

TEST(PredictSource, AMissingColumnIsRefusedByName) {
  const Outcome outcome = predict(model_of(kNames), "csv://t", "age,weight\n1,2\n");
  ASSERT_FALSE(outcome.predicted);
  EXPECT_EQ(outcome.predicted.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(outcome.predicted.error().message, HasSubstr("t: line 1: found no column height"));
}

TEST(PredictSource, AModelWithoutNamesTakesColumnsByTheirPlace) {
  const Outcome outcome = predict(model_of({}), "csv://t", "height,age\n2,1\n");
  ASSERT_TRUE(outcome.predicted) << outcome.predicted.error().message;
  EXPECT_THAT(outcome.predictions, ElementsAre(21));
  EXPECT_THAT(outcome.predicted->ignored_columns, IsEmpty());
}

TEST(PredictSource, AnotherNumberOfFeaturesIsRefusedAndTheLabelMayBeTheReason) {
  const Outcome outcome = predict(model_of({}), "csv://t", "age,height,y\n2,1,0\n");
  ASSERT_FALSE(outcome.predicted);
  EXPECT_THAT(outcome.predicted.error().message,
              HasSubstr("found 3 features in each sample, expected 2, as in the model; if a column "
                        "has the labels, name it: ?label=COLUMN"));
}

TEST(PredictSource, ThereIsAScoreOnlyWithLabels) {
  const Outcome with = predict(model_of(kNames), "csv://t?label=y", "height,y,age\n2,10,1\n");
  ASSERT_TRUE(with.predicted) << with.predicted.error().message;
  ASSERT_TRUE(with.predicted->score);
  EXPECT_EQ(with.predicted->score->square_error_sum, 4);
  const Outcome without = predict(model_of(kNames), "csv://t", "height,y,age\n2,10,1\n");
  ASSERT_TRUE(without.predicted) << without.predicted.error().message;
  EXPECT_FALSE(without.predicted->score);
  EXPECT_EQ(without.predicted->samples, 1u);
  EXPECT_EQ(without.predictions, with.predictions);
}

TEST(PredictSource, ThereAreScoresOnlyWhereTheyAreWanted) {
  learn::LinearModel model = model_of(kNames);
  model.solver = "L2R_L2LOSS_SVC_DUAL";
  model.labels = {1, -1};
  const std::string text = "age,height\n1,2\n-1,0\n";
  EXPECT_THAT(predict(model, "csv://t", text).scores, IsEmpty());
  const Outcome wanted = predict(model, "csv://t", text, Labels::kIfNamed, Scores::kWanted);
  EXPECT_THAT(wanted.predictions, ElementsAre(1, -1));
  EXPECT_THAT(wanted.scores, ElementsAre(12, -12, -10, 10));
}

TEST(PredictSource, SparseRowsAreTakenByPlaceAndMayHaveNoLabels) {
  const Outcome outcome =
      predict(model_of(kNames), "libsvm://t", "1:1 2:2\n2:3 7:9\n", Labels::kNone);
  ASSERT_TRUE(outcome.predicted) << outcome.predicted.error().message;
  EXPECT_THAT(outcome.predictions, ElementsAre(12, 3));
  EXPECT_FALSE(outcome.predicted->has_columns);
  EXPECT_FALSE(outcome.predicted->score);
  EXPECT_EQ(outcome.predicted->unknown_features, 1u);
}

}  // namespace predict_test
}  // namespace surety::runtime
