#include "trajectories.h"

#include <gtest/gtest.h>

#include "base/posix/temporary_folder.h"

namespace surety::bench {
namespace trajectories_test {

const Study& study() {
  static const Study mnist = *study_named("mnist");
  return mnist;
}

std::string file_text(const std::string& rows) {
  return "# " + describe(study()) +
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

  posix::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "trajectories.csv";
};

TEST_F(TrajectoriesTest, WhatWasTrainedIsNotTrainedAgain) {
  auto trajectories = open(file_text("7,full*1,0.5,0.01,0.6,0.02,1.5\n")).value();
  const Point point = trajectories.at(7, Path("full").then("full")).value();
  EXPECT_EQ(point.metric, 0.5);
  EXPECT_EQ(point.certify_metric, 0.6);
  EXPECT_EQ(trajectories.trained(), 0u);
  EXPECT_FALSE(trajectories.at(8, Path("full").then("full")));  // Another seed.
  EXPECT_FALSE(trajectories.at(7, Path("full")));               // Another path.
}

TEST_F(TrajectoriesTest, ALineThatWasCutOffIsForgotten) {
  const std::string whole = file_text("7,full*1,0.5,0.01,0.6,0.02,1.5\n");
  auto trajectories = open(whole + "7,full*2,0.4").value();
  EXPECT_TRUE(trajectories.at(7, Path("full").then("full")));
  EXPECT_FALSE(trajectories.at(7, Path("full").then("full").then("full")));
  EXPECT_EQ(posix::read_file(file_).value(), whole);
}

TEST_F(TrajectoriesTest, AnEmptyFileBeginsWithWhatStudyItIsOf) {
  EXPECT_TRUE(open(""));
  EXPECT_EQ(posix::read_file(file_).value(), file_text(""));
}

TEST_F(TrajectoriesTest, PointsOfAnotherStudyAreRefused) {
  std::string text = file_text("");
  text[2] = 'X';
  const auto trajectories = open(text);
  ASSERT_FALSE(trajectories);
  EXPECT_NE(trajectories.error().message.find("remove it to retrain"), std::string::npos);
}

TEST_F(TrajectoriesTest, AMalformedLineIsNamed) {
  const auto trajectories = open(file_text("7,full*1,0.5,0.01,oops,0.02,1.5\n"));
  ASSERT_FALSE(trajectories);
  EXPECT_NE(trajectories.error().message.find("certify_metric: found 'oops'"), std::string::npos)
      << trajectories.error().message;
}

}  // namespace trajectories_test
}  // namespace surety::bench
