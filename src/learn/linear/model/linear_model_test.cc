// Predictions of linear models, and LIBLINEAR's model files, with numbers that a reader can check.
#include "learn/linear/model/linear_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "learn/linear/model/liblinear_model.h"
#include "learn/linear/model/predictor.h"

namespace surety::learn {
namespace linear_model_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr data::Schema kSparse{.layout = data::Layout::kSparse, .features = 2};

// The samples (1, 2), (0, 3), and a third sample that has only feature 4, counted from 0.
data::Samples three_samples(std::pmr::vector<float> labels) {
  data::Samples samples;
  samples.f32 = {1, 2, 3, 1};
  samples.index = {0, 1, 1, 4};
  samples.row_begin = {0, 2, 3, 4};
  samples.label = std::move(labels);
  return samples;
}

std::vector<double> predictions(const LinearModel& model, const data::Samples& samples,
                                const data::Schema& schema = kSparse) {
  std::vector<double> out;
  const auto done = predict(model, samples, schema, out);
  EXPECT_TRUE(done.has_value());
  return out;
}

TEST(LinearModel, AboveZeroIsTheFirstLabelAndZeroItselfTheSecond) {
  const auto model = linear_model("svm", {4, -1}, -1).value();
  // The decision values are 4 - 2 = 2, -3, and 0 for the sample with unknown features only.
  EXPECT_THAT(predictions(model, three_samples({1, 1, 1})), ElementsAre(1, -1, -1));
}

TEST(LinearModel, OfManyClassesTheLargestValueWinsAndTheFirstOfEquals) {
  LinearModel model{.solver = "MCSVM_CS", .labels = {7, 8, 9}, .features = 2, .columns = {}};
  model.columns = {{{1, 0}, 0}, {{0, 1}, 0}, {{1, 0}, 0}};
  // The values of the three samples are 1 2 1, then 0 3 0, then 0 0 0.
  EXPECT_THAT(predictions(model, three_samples({0, 0, 0})), ElementsAre(8, 8, 7));
}

TEST(LinearModel, ARegressionAddsItsBias) {
  LinearModel model{.solver = "L2R_L2LOSS_SVR", .labels = {}, .features = 2, .columns = {}};
  model.bias = 2;
  model.columns = {{{1, 10}, 0.5}};
  EXPECT_THAT(predictions(model, three_samples({0, 0, 0})), ElementsAre(22, 31, 1));
}

std::vector<double> scores_of(const LinearModel& model) {
  std::vector<double> out;
  std::vector<double> scores;
  EXPECT_TRUE(predict(model, three_samples({0, 0, 0}), kSparse, out, &scores));
  return scores;
}

TEST(LinearModel, ALogisticRegressionGivesProbabilitiesAndOthersDecisionValues) {
  // The decision values are 2, -3 and 0.
  const auto logistic = linear_model("logistic", {4, -1}, -1).value();
  EXPECT_TRUE(gives_probabilities(logistic));
  const double p = 1 / (1 + std::exp(-2.0));
  const double q = 1 / (1 + std::exp(3.0));
  EXPECT_THAT(scores_of(logistic),
              testing::Pointwise(testing::DoubleNear(1e-12), {p, 1 - p, q, 1 - q, 0.5, 0.5}));
  const auto svm = linear_model("svm", {4, -1}, -1).value();
  EXPECT_FALSE(gives_probabilities(svm));
  EXPECT_THAT(scores_of(svm), ElementsAre(2, -2, -3, 3, 0, 0));
}

TEST(LinearModel, TheProbabilitiesOfManyClassesHaveTheSumOne) {
  LinearModel model{.solver = "L2R_LR", .labels = {7, 8, 9}, .features = 2, .columns = {}};
  model.columns = {{{1, 0}, 0}, {{0, 1}, 0}, {{-1000, -1000}, 0}};
  const std::vector<double> found = scores_of(model);
  ASSERT_EQ(found.size(), 9u);
  for (std::size_t row = 0; row < 9; row += 3) {
    EXPECT_NEAR(found[row] + found[row + 1] + found[row + 2], 1, 1e-12);
  }
  EXPECT_GT(found[1], found[0]);
  EXPECT_EQ(found[2], 0);
}

TEST(LinearModel, DenseSamplesMustHaveTheModelsFeatures) {
  const auto model = linear_model("svm", {4, -1, 1}, -1).value();
  data::Samples samples;
  samples.f32 = {1, 2};
  samples.label = {1};
  std::vector<double> out;
  const auto done =
      predict(model, samples, {.layout = data::Layout::kDenseF32, .features = 2}, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "found 2 features in each sample, expected 3, as in the model");
}

TEST(LinearModel, ZeroAndMinusOneAreTheSameNegativeClass) {
  for (const int negative : {-1, 0}) {
    const auto model = linear_model("logistic", {4, -1}, negative).value();
    const data::Samples samples = three_samples({1, 0, -1});
    PredictionScore sums;
    score(model, samples, predictions(model, samples), sums);
    EXPECT_EQ(sums.correct, 3u) << negative;
    EXPECT_EQ(sums.samples, 3u);
  }
}

TEST(LinearModel, SamplesWithAFeatureThatItLacksAreCounted) {
  // The largest features are 1, 1 and 4, counted from 0.
  EXPECT_EQ(samples_beyond(1, three_samples({0, 0, 0})), 3u);
  EXPECT_EQ(samples_beyond(2, three_samples({0, 0, 0})), 1u);
  EXPECT_EQ(samples_beyond(5, three_samples({0, 0, 0})), 0u);
  EXPECT_EQ(samples_beyond(5, data::Samples()), 0u);
}

TEST(LinearModel, AnUnknownLabelIsNeverRight) {
  const auto model = linear_model("logistic", {4, -1}, -1).value();
  const data::Samples samples = three_samples({2, 7, -1});
  PredictionScore sums;
  score(model, samples, predictions(model, samples), sums);
  EXPECT_EQ(sums.correct, 1u);
}

TEST(LinearModel, ARegressionIsScoredByItsSquaredError) {
  const auto model = linear_model("ridge", {1, 1}, -1).value();
  const data::Samples samples = three_samples({1, 3, 1});  // The predictions are 3, 3 and 0.
  PredictionScore sums;
  score(model, samples, predictions(model, samples), sums);
  EXPECT_EQ(sums.square_error_sum, 4 + 0 + 1);
  EXPECT_EQ(sums.correct, 0u);
}

TEST(LiblinearModel, IsWrittenAsLiblinearWritesIt) {
  EXPECT_EQ(to_liblinear(linear_model("logistic", {0.5F, -2, 0}, 0).value()),
            "solver_type L2R_LR_DUAL\nnr_class 2\nlabel 1 0\nnr_feature 3\nbias -1\nw\n"
            "0.5 \n-2 \n0 \n");
  EXPECT_EQ(to_liblinear(linear_model("ridge", {3}, -1).value()),
            "solver_type L2R_L2LOSS_SVR_DUAL\nnr_class 2\nnr_feature 1\nbias -1\nw\n3 \n");
}

TEST(LiblinearModel, AnObjectiveThatLiblinearLacksHasNoFile) {
  EXPECT_FALSE(liblinear_solver("lenet5"));
  EXPECT_FALSE(linear_model("lenet5", {1}, -1));
}

TEST(LiblinearModel, ComesBackBitForBit) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    LinearModel model{.solver = seed % 2 == 0 ? "L2R_L2LOSS_SVC" : "MCSVM_CS",
                      .labels = {},
                      .features = 1 + static_cast<std::uint32_t>(random.below(20)),
                      .columns = {}};
    const auto classes = 2 + random.below(4);
    for (std::uint64_t c = 0; c < classes; ++c) model.labels.push_back(static_cast<int>(c) - 1);
    if (seed % 3 == 0) model.bias = random.uniform();
    model.columns.resize(classes == 2 && seed % 2 == 0 ? 1 : classes);
    for (LinearColumn& column : model.columns) {
      for (std::uint32_t f = 0; f < model.features; ++f) {
        column.weights.push_back(std::ldexp(random.normal(), static_cast<int>(random.below(200))));
      }
      if (model.bias) column.bias_weight = random.normal();
    }
    const auto again = parse_liblinear_model("f", to_liblinear(model));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->solver, model.solver);
    EXPECT_EQ(again->labels, model.labels);
    EXPECT_EQ(again->features, model.features);
    EXPECT_EQ(again->bias, model.bias);
    ASSERT_EQ(again->columns.size(), model.columns.size());
    for (std::size_t c = 0; c < model.columns.size(); ++c) {
      EXPECT_EQ(again->columns[c].weights, model.columns[c].weights);
      EXPECT_EQ(again->columns[c].bias_weight, model.columns[c].bias_weight);
    }
  }
}

TEST(LiblinearModel, EveryBrokenFileIsRefusedWithLineFoundAndExpected) {
  const std::string head = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n";
  const std::vector<std::pair<std::string, std::string>> broken{
      {"", "f: line 1: found the end of the file, expected a line \"w\""},
      {"hello world", "f: line 1: found \"hello\", expected solver_type, nr_class,"},
      {"solver_type MAGIC", "f: line 1: found \"MAGIC\", expected a solver"},
      {"solver_type ONECLASS_SVM", "found \"ONECLASS_SVM\", expected a solver"},
      {"nr_class 0", "line 1: found \"0\", expected a whole number from 1 to 65536"},
      {"nr_class 2\nnr_feature -3", "line 2: found \"-3\", expected a whole number"},
      {"nr_feature 1000000000", "found \"1000000000\", expected a whole number"},
      {"label 1 x", "line 1: found \"x\", expected labels that are whole numbers"},
      {"bias nan", "found \"nan\", expected a finite number"},
      {"w 1", "line 1: found \"1\", expected nothing after \"w\""},
      {"solver_type L2R_LR\nw", "line 2: found no nr_class before w"},
      {"solver_type L2R_LR\nnr_class 2\nw", "line 3: found no nr_feature before w"},
      {"solver_type L2R_LR\nnr_class 3\nlabel 1 2\nnr_feature 1\nw\n1",
       "found 2 labels, expected 3, the value of nr_class"},
      {"solver_type L2R_L2LOSS_SVR\nnr_class 2\nlabel 1 2\nnr_feature 1\nw\n1",
       "found labels, expected none with L2R_L2LOSS_SVR"},
      {head + "1\n", "f: line 8: found the end of the file, expected a line of weights"},
      {head + "1\ninf\n", "line 8: found \"inf\", expected 1 finite number"},
      {head + "1\n\n", "line 8: found \"\", expected 1 finite number"},
      {head + "1 2\n1\n", "line 7: found \"2\", expected no more than 1 numbers"},
      {head + "1\n2\n3\n", "line 9: found \"3\", expected the end of the file"},
  };
  for (const auto& [text, message] : broken) {
    const auto model = parse_liblinear_model("f", text);
    ASSERT_FALSE(model) << text;
    EXPECT_THAT(model.error().message, HasSubstr(message)) << text;
    EXPECT_EQ(model.error().code, ErrorCode::kInvalidInput);
  }
}

TEST(LinearModel, APredictionThatIsNoFiniteNumberIsRefused) {
  data::Samples samples;
  samples.row_begin = {0, 1};
  samples.index = {0};
  samples.f32 = {1e30f};
  samples.label = {1};
  for (const bool classifies : {false, true}) {
    LinearModel model{.solver = "L2R_LR", .labels = {}, .features = 1, .columns = {}};
    if (classifies) model.labels = {1, -1};
    model.columns = {{.weights = {1e300}, .bias_weight = 0}};
    std::vector<double> out;
    const auto predicted = predict(model, samples, kSparse, out);
    ASSERT_FALSE(predicted);
    EXPECT_EQ(predicted.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(predicted.error().message,
                HasSubstr("sample 1 of them: found a prediction of inf"));
  }
}

TEST(LiblinearModel, AClaimOfABillionFeaturesTakesNoMemory) {
  const auto model = parse_liblinear_model(
      "f", "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 999999999\nbias -1\nw\n1\n");
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message, HasSubstr("line 8: found the end of the file"));
}

}  // namespace linear_model_test
}  // namespace surety::learn
