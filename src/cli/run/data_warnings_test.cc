#include "cli/run/data_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety::cli {
namespace data_warnings_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings_of(const std::string& zoo, const data::SourceHints& hints) {
  orchestrator::JobConfig config;
  config.job.model.zoo = zoo;
  config.sources.emplace_back().hints = hints;
  return data_warnings(config);
}

data::SourceHints large(double factor) {
  return {.large_feature = data::LargeFeature{.name = "id", .size = factor, .others = 1}};
}

TEST(DataWarnings, ALargeFeatureIsNamedFromItsLimitOn) {
  EXPECT_THAT(warnings_of("mlp", large(data::kLargeForNetworks)),
              ElementsAre(HasSubstr(": id has")));
  EXPECT_THAT(warnings_of("mlp", large(data::kLargeForNetworks - 1)), IsEmpty());
  EXPECT_THAT(warnings_of("svm", large(data::kLargeForLinear)), ElementsAre(HasSubstr(": id has")));
  EXPECT_THAT(warnings_of("svm", large(data::kLargeForLinear - 1)), IsEmpty());
}

TEST(DataWarnings, LabelsFarFrom0AreNamedWhereThereIsNoIntercept) {
  data::SourceHints hints{.label_mean = -150, .label_deviation = 20};
  EXPECT_THAT(warnings_of("ridge", hints), ElementsAre(HasSubstr("no intercept")));
  EXPECT_THAT(warnings_of("logistic", hints), IsEmpty());
  hints.has_constant_feature = true;
  EXPECT_THAT(warnings_of("ridge", hints), IsEmpty());
  EXPECT_THAT(warnings_of("ridge", {.label_mean = 15, .label_deviation = 20}), IsEmpty());
}

orchestrator::JobConfig uneven(plan::Metric metric, double target) {
  orchestrator::JobConfig config;
  config.job.model.zoo = "logistic";
  config.job.promise = {.metric = metric, .target = target};
  config.sources.emplace_back().label_histogram = {{0, 80}, {1, 10}};
  config.sources.back().hints.has_constant_feature = true;
  config.sources.emplace_back(config.sources.back()).label_histogram = {{0, 10}};
  return config;
}

TEST(DataWarnings, ATargetThatNeedsNoInputIsNamed) {
  EXPECT_THAT(data_warnings(uneven(plan::Metric::kAccuracy, 0.9)),
              ElementsAre(HasSubstr("90 % of the training samples have the label 0, so")));
  EXPECT_THAT(data_warnings(uneven(plan::Metric::kAccuracy, 0.91)), IsEmpty());
  EXPECT_THAT(data_warnings(uneven(plan::Metric::kValidationLoss, 0.33)),
              ElementsAre(HasSubstr("would reach a loss of 0.3251. Ask for less")));
  EXPECT_THAT(data_warnings(uneven(plan::Metric::kValidationLoss, 0.32)), IsEmpty());
}

TEST(DataWarnings, ATargetIsComparedWithTheLabelsOfTheSamplesThatJudgeIt) {
  orchestrator::JobConfig config = uneven(plan::Metric::kAccuracy, 0.7);
  config.validation.emplace().label_histogram = {{0, 40}, {1, 60}};
  EXPECT_THAT(data_warnings(config), IsEmpty());
  config.job.promise.target = 0.6;
  EXPECT_THAT(data_warnings(config),
              ElementsAre(HasSubstr("60 % of the validation samples have the label 1, so")));
}

TEST(DataWarnings, ALossThatTheMeanReachesIsNamed) {
  orchestrator::JobConfig config;
  config.job.model.zoo = "ridge";
  config.job.promise = {.metric = plan::Metric::kValidationLoss, .target = 8};
  config.sources.emplace_back().samples = 1;
  config.sources.back().hints = {.has_constant_feature = true, .label_mean = 6};
  config.sources.emplace_back(config.sources.back()).hints.label_mean = 14;
  EXPECT_THAT(data_warnings(config),
              ElementsAre(HasSubstr("always answers 10, the mean label of the training samples, "
                                    "would reach a loss (half the squared error) of 8.")));
  config.job.promise.target = 7.9;
  EXPECT_THAT(data_warnings(config), IsEmpty());
}

TEST(DataWarnings, UnevenLabelsNeedAnIntercept) {
  orchestrator::JobConfig config = uneven(plan::Metric::kAccuracy, 0.95);
  for (data::SourceInfo& source : config.sources) source.hints.has_constant_feature = false;
  EXPECT_THAT(data_warnings(config), ElementsAre(HasSubstr("logistic has no intercept")));
  config.job.model.zoo = "mlp";
  EXPECT_THAT(data_warnings(config), IsEmpty());
}

}  // namespace data_warnings_test
}  // namespace surety::cli
