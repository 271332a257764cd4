#include "base/posix/file.h"
#include "bench/studies/trajectories.h"

#include <gtest/gtest.h>

#include "base/posix/temporary_folder.h"
#include "bench/studies/division.h"
#include "bench/studies/recording_testing.h"

namespace surety::bench {
namespace trajectories_test {

const Study& study() {
  static const Study mnist = *study_named("mnist");
  return mnist;
}

std::string head(const std::string& data = "00ff") {
  Provenance provenance = provenance_of(study());
  provenance.put(kDataKey, data);
  return head_of(provenance);
}

std::string older(const std::string& rows) {
  return "# " + describe_halves(study()) +
         "\nseed,path,metric,metric_se,certify_metric,certify_se,cpu_s\n" + rows;
}

Result<std::unique_ptr<Trainer>> no_trainer() {
  return fail(ErrorCode::kInvalidInput, "nothing to train on");
}

class TrajectoriesTest : public testing::Test {
 protected:
  Result<Trajectories> open(const std::string& text) {
    const Result<void> written = posix::write_file_atomically(file_, text);
    EXPECT_TRUE(written);
    return Trajectories::open(study(), file_, no_trainer);
  }
  std::string error_of(const std::string& text) {
    const auto trajectories = open(text);
    return trajectories ? "none" : trajectories.error().message;
  }

  posix::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "trajectories.csv";
};

TEST_F(TrajectoriesTest, WhatWasTrainedIsNotTrainedAgain) {
  const Measured measured = measured_at(7, "full*1", 0.5);
  auto trajectories = open(head() + line_of(measured)).value();
  const Point point = trajectories.at(7, Path("full").then("full")).value();
  EXPECT_EQ(point.metric, divide(measured, halving_of_seed(7)).metric);
  EXPECT_EQ(trajectories.trained(), 0u);
  EXPECT_FALSE(trajectories.at(8, Path("full").then("full")));  // This seed was not recorded.
  EXPECT_FALSE(trajectories.at(7, Path("full")));               // This path was not recorded.
}

TEST_F(TrajectoriesTest, ALineThatWasCutOffIsForgotten) {
  const std::string whole = head() + line_of(measured_at(7, "full*1", 0.5));
  const std::string cut = whole + "7,full*2,2,0.4";
  const auto trajectories = open(cut).value();
  EXPECT_TRUE(trajectories.has(7, Path("full").then("full")));
  EXPECT_FALSE(trajectories.has(7, Path("full").then("full").then("full")));
  EXPECT_EQ(posix::read_file(file_).value(), cut);  // Reading does not change the file.
}

TEST_F(TrajectoriesTest, NoFileAndAnEmptyFileAreStudiesWithoutPoints) {
  EXPECT_TRUE(open(""));
  EXPECT_TRUE(Trajectories::open(study(), folder_.path() / "none" / "t.csv", no_trainer));
}

TEST_F(TrajectoriesTest, AFileRecordedWithSomethingElseIsRefusedWithWhatDiffers) {
  std::string text = head();
  text.replace(text.find("batch=32"), 8, "batch=64");
  EXPECT_EQ(error_of(text), file_.string() +
                                ":1: recorded with other settings: batch: found 64, expected 32: "
                                "move the file away to record again");
}

TEST_F(TrajectoriesTest, TheOlderLayoutIsReadAndNotAddedTo) {
  auto trajectories = open(older("7,full*1,0.5,0.01,0.6,0.02,1.5\n")).value();
  const Point point = trajectories.at(7, Path("full").then("full")).value();
  EXPECT_EQ(point.metric, 0.5);
  EXPECT_EQ(point.certify_metric, 0.6);
  const auto missing = trajectories.at(8, Path("full"));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no longer extended"), std::string::npos);
}

TEST_F(TrajectoriesTest, TheOlderLayoutOfAnotherStudyIsRefused) {
  std::string text = older("");
  text[2] = 'X';
  EXPECT_NE(error_of(text).find("expected 'lenet5 on 6000 images of mnist"), std::string::npos);
}

TEST_F(TrajectoriesTest, AMalformedLineIsNamed) {
  EXPECT_EQ(error_of(older("7,full*1,0.5,0.01,oops,0.02,1.5\n")),
            file_.string() + ":3: certify_metric: found 'oops', expected a finite number");
}

}  // namespace trajectories_test
}  // namespace surety::bench
