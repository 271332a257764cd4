#include "job/job_labels.h"

#include <gtest/gtest.h>

namespace surety::job {
namespace job_labels_test {

data::SourceInfo source(std::map<float, std::uint64_t> labels, std::uint32_t classes,
                        const char* name = "rows") {
  data::SourceInfo info;
  info.name = name;
  info.url = std::string("csv://") + name + ".csv?label=y";
  info.label_histogram = std::move(labels);
  for (const auto& [label, count] : info.label_histogram) info.samples += count;
  info.schema.classes = classes;
  return info;
}

std::string error_of(const char* zoo, const std::vector<data::SourceInfo>& sources,
                     const std::optional<data::SourceInfo>& validation = {}) {
  Job job;
  job.model.zoo = zoo;
  const Result<void> checked = check_labels(job, sources, validation);
  if (checked) return "fine";
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidInput);
  return checked.error().message;
}

TEST(JobLabels, ALinearClassifierTellsTwoClassesApart) {
  EXPECT_EQ(error_of("logistic", {source({{-1, 5}, {1, 6}}, 0)}), "fine");
  EXPECT_EQ(error_of("svm", {source({{0, 5}, {1, 6}}, 2)}), "fine");
  const std::string expected =
      ", expected -1 and +1, or 0 and 1: logistic predicts two classes; ridge, lasso and "
      "elastic-net predict numbers, and mlp predicts more classes";
  EXPECT_EQ(error_of("logistic", {source({{0, 5}, {0.5, 1}, {1, 6}}, 0)}),
            "data.rows (csv://rows.csv?label=y): found label 0.5 in 1 of 12 samples" + expected);
  EXPECT_EQ(error_of("logistic", {source({{0, 5}, {1, 5}, {2, 5}}, 3)}),
            "data.rows (csv://rows.csv?label=y): found label 2 in 5 of 15 samples" + expected);
  EXPECT_EQ(
      error_of("logistic", {source({{0, 5}, {1, 5}}, 2)}, source({{7, 1}}, 8, "validation")),
      "validation (csv://validation.csv?label=y): found label 7 in 1 of 1 samples" + expected);
  EXPECT_EQ(
      error_of("logistic", {source({{1, 5}}, 2)}),
      "data.rows (csv://rows.csv?label=y): found one label in all training samples" + expected);
  data::SourceInfo prices = source({}, 0);
  prices.samples = 4000;
  EXPECT_EQ(error_of("logistic", {prices}),
            "data.rows (csv://rows.csv?label=y): found more than 1,000 different labels in 4000 "
            "samples" +
                expected);
}

TEST(JobLabels, ARegressionLearnsAnyNumbers) {
  EXPECT_EQ(error_of("ridge", {source({{-1, 5}, {0.5, 1}, {9, 6}}, 0)}), "fine");
  EXPECT_EQ(error_of("lasso", {source({}, 0)}), "fine");
}

TEST(JobLabels, ANetworkWantsClassesFromZero) {
  EXPECT_EQ(error_of("mlp", {source({{0, 5}, {1, 5}, {2, 5}}, 3)}), "fine");
  const std::string expected =
      ", expected classes 0, 1, 2, ...: mlp predicts classes; ridge, lasso and elastic-net "
      "predict numbers";
  EXPECT_EQ(error_of("mlp", {source({{-1, 4}, {0, 5}, {1, 6}}, 0)}),
            "data.rows (csv://rows.csv?label=y): found label -1 in 4 of 15 samples" + expected);
  EXPECT_EQ(error_of("mlp", {source({{0, 4}, {1.5, 5}}, 0)}),
            "data.rows (csv://rows.csv?label=y): found label 1.5 in 5 of 9 samples" + expected);
  EXPECT_EQ(error_of("mlp", {source({{0, 9}}, 1)}),
            "data.rows (csv://rows.csv?label=y): found class 0 in every training sample, expected "
            "at least two classes");
  EXPECT_EQ(error_of("mlp", {source({{0, 4}, {70000, 5}}, 0)}),
            "data.rows (csv://rows.csv?label=y): found label 70000 in 5 of 9 samples, expected "
            "classes numbered 0, 1, 2, ... without gaps");
}

TEST(JobLabels, EachClassHasATrainingSampleInSomeSet) {
  EXPECT_EQ(error_of("mlp", {source({{0, 5}, {2, 5}}, 3), source({{1, 5}}, 2, "ones")}), "fine");
  EXPECT_EQ(error_of("mlp", {source({{1, 5}, {2, 5}, {3, 5}}, 4)}),
            "data.rows (csv://rows.csv?label=y): found no training sample of class 0, expected "
            "some of each class from 0 to 3: number the classes from 0, not from 1");
  EXPECT_EQ(error_of("mlp", {source({{0, 5}, {2, 5}}, 3)}),
            "data.rows (csv://rows.csv?label=y): found no training sample of class 1, expected "
            "some of each class from 0 to 2: add a data set that has some, or number the classes "
            "without gaps");
  // The message says that classes are counted from 1 only if nothing else is wrong.
  EXPECT_EQ(error_of("mlp", {source({{4, 5}}, 5)}),
            "data.rows (csv://rows.csv?label=y): found no training sample of class 0, expected "
            "some of each class from 0 to 4: add a data set that has some, or number the classes "
            "without gaps");
}

TEST(JobLabels, ValidationHasNoClassThatTrainingHasNot) {
  const std::vector<data::SourceInfo> training{source({{0, 5}, {1, 5}}, 2)};
  EXPECT_EQ(error_of("mlp", training, source({{1, 5}}, 2, "validation")), "fine");
  EXPECT_EQ(error_of("mlp", training, source({{4, 5}}, 5, "validation")),
            "validation (csv://validation.csv?label=y): found class 4, expected classes up to 1, "
            "those that training samples have");
}

}  // namespace job_labels_test
}  // namespace surety::job
