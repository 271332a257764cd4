#include "learn/torch/network_predictor.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "learn/torch/digits_test.h"
#include "learn/torch/dnn_task.h"
#include "model/initial.h"
#include "model/zoo.h"

namespace surety::learn {
namespace network_predictor_test {

using digits_test::digits;
using digits_test::kDigits;
using ::testing::HasSubstr;

// Random values are good enough for these comparisons.
TrainedNetwork lenet() {
  auto spec = model::zoo(
      "lenet5",
      {.channels = 1, .height = data::kDigitSide, .width = data::kDigitSide, .classes = 10});
  EXPECT_TRUE(spec);
  TrainedNetwork network{.spec = *spec, .version = "full", .parameters = {}};
  network.parameters = model::initial_parameters(*spec, 7);
  return network;
}

// More than two batches: the training task counts the same samples as correct.
TEST(NetworkPredictor, IsRightAsOftenAsTheTaskThatTrainsSays) {
  TrainedNetwork network = lenet();
  const data::Samples samples = digits(0, 600);
  TaskOptions options;
  options.model = "lenet5";
  options.schema = kDigits;
  const auto task = make_dnn_task(options);
  ASSERT_TRUE(task);
  std::vector<std::uint32_t> all(samples.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto expected = (*task)->evaluate(
      samples, all,
      {.version = "full", .parameters = network.parameters, .parent = {}, .velocity = {}});
  ASSERT_TRUE(expected) << expected.error().message;

  const auto predictor = make_network_predictor(std::move(network));
  std::vector<double> predictions;
  const auto predicted = predictor->predict(samples, kDigits, predictions);
  ASSERT_TRUE(predicted) << predicted.error().message;
  ASSERT_EQ(predictions.size(), 600u);
  PredictionScore score;
  predictor->score(samples, predictions, score);
  EXPECT_EQ(score.samples, 600u);
  EXPECT_EQ(score.correct, expected->correct);
}

TEST(NetworkPredictor, ScoresAreProbabilitiesAndThePredictionHasTheLargest) {
  const auto predictor = make_network_predictor(lenet());
  std::vector<double> predictions;
  std::vector<double> scores;
  ASSERT_TRUE(predictor->apply(digits(0, 300), kDigits, predictions, &scores));
  ASSERT_EQ(predictor->classes().size(), 10u);
  ASSERT_EQ(scores.size(), 3000u);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(10 * i);
    EXPECT_NEAR(std::accumulate(row, row + 10, 0.0), 1, 1e-9);
    EXPECT_EQ(*std::max_element(row, row + 10), row[static_cast<std::ptrdiff_t>(predictions[i])]);
  }
}

TEST(NetworkPredictor, BlocksChangeNothing) {
  const auto predictor = make_network_predictor(lenet());
  const data::Samples all = digits(0, 50);
  std::vector<double> whole;
  std::vector<double> parts;
  ASSERT_TRUE(predictor->predict(all, kDigits, whole));
  for (std::uint32_t i = 0; i < 50; ++i) {
    data::Samples one;
    one.u8.assign(all.u8.begin() + i * data::kDigitPixels,
                  all.u8.begin() + (i + 1) * data::kDigitPixels);
    one.label = {all.label[i]};
    ASSERT_TRUE(predictor->predict(one, kDigits, parts));
  }
  EXPECT_EQ(parts, whole);
}

// Sparse rows give the same predictions as dense rows with the same values. A feature that the
// network does not know has weight zero, and its sample is counted.
TEST(NetworkPredictor, SparseFeaturesThatItDoesNotKnowWeighNothing) {
  auto spec = model::zoo("mlp", {.channels = 1, .height = 1, .width = 3, .classes = 2});
  ASSERT_TRUE(spec);
  const auto predictor = make_network_predictor({.spec = *spec,
                                                 .version = "full",
                                                 .parameters = model::initial_parameters(*spec, 1),
                                                 .reads_bytes = false});
  data::Samples dense;
  data::Samples sparse;
  dense.f32 = {0, 2, 0, 1, 0, 0};
  dense.label = {0, 1};
  sparse.f32 = {2, 9, 1};
  sparse.index = {1, 70, 0};
  sparse.row_begin = {0, 2, 3};
  sparse.label = {0, 1};
  std::vector<double> of_dense;
  std::vector<double> of_sparse;
  const data::Schema table{.layout = data::Layout::kDenseF32, .width = 3, .features = 3};
  const data::Schema rows{.layout = data::Layout::kSparse, .width = 71, .features = 71};
  ASSERT_TRUE(predictor->predict(dense, table, of_dense));
  ASSERT_TRUE(predictor->predict(sparse, rows, of_sparse));
  EXPECT_EQ(of_sparse, of_dense);
  EXPECT_EQ(samples_beyond(predictor->features(), sparse), 1u);
}

TEST(NetworkPredictor, SamplesOfAnotherKindAreRefused) {
  const auto predictor = make_network_predictor(lenet());
  std::vector<double> predictions;
  data::Samples samples = digits(0, 3);
  data::Schema narrow = kDigits;
  narrow.width = 14, narrow.features /= 2;
  const auto shape = predictor->predict(samples, narrow, predictions);
  ASSERT_FALSE(shape);
  EXPECT_THAT(shape.error().message, HasSubstr("expected 1x28x28"));
  samples.label[2] = 10;
  const auto label = predictor->predict(samples, kDigits, predictions);
  ASSERT_FALSE(label);
  EXPECT_THAT(label.error().message, HasSubstr("sample 2: label 10, expected a class from 0 to 9"));
}

}  // namespace network_predictor_test
}  // namespace surety::learn
