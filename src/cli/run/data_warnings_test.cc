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

TEST(DataWarnings, ATargetThatTheMostCommonLabelReachesIsNamed) {
  orchestrator::JobConfig config;
  config.job.model.zoo = "logistic";
  config.job.promise = {.metric = plan::Metric::kAccuracy, .target = 0.9};
  config.sources.emplace_back().label_histogram = {{0, 80}, {1, 10}};
  config.sources.emplace_back().label_histogram = {{0, 10}};
  EXPECT_THAT(data_warnings(config), ElementsAre(HasSubstr("90 % of the training samples have")));
  EXPECT_FALSE(warning_of_guess(config, 0.91));
  config.job.promise.metric = plan::Metric::kValidationLoss;
  EXPECT_THAT(data_warnings(config), IsEmpty());
}

}  // namespace data_warnings_test
}  // namespace surety::cli
