#include "bench/studies/recorded.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "base/posix/file.h"
#include "base/posix/temporary_folder.h"
#include "bench/studies/recording_testing.h"

namespace surety::bench {
namespace recorded_test {

class RecordedTest : public testing::Test {
 protected:
  Result<RecordedStudy> read(const std::string& text, Seeds seeds = Seeds::kAll) {
    EXPECT_TRUE(posix::write_file_atomically(file_, text));
    return read_recorded("t", file_, 1, seeds);
  }

  posix::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "t.csv";
};

Provenance parsed(std::string_view text) { return Provenance::parse("t.csv:1", text).value(); }

std::string parts(std::uint32_t seeds) {
  std::string text = head_of(parsed("network=lenet5"));
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    for (const char* version : {"prune:0.5", "full"}) {
      text += line_of(measured_at(seed, version + std::string("*0"), 2.3));
      text += line_of(measured_at(seed, version + std::string("*1"), 1.0 + 0.01 * seed));
    }
  }
  return text;
}

constexpr const char* kOlder =
    "# lenet5 on 6000 images\n"
    "seed,path,metric,metric_se,certify_metric,certify_se,cpu_s\n"
    "1,full*0,2.3,0.01,2.3,0.02,1.5\n"
    "1,full*1,0.5,0.01,0.6,0.02,1.5\n"
    "2,full*0,2.2,0.01,2.3,0.02,1.5\n"
    "2,full*1,0.7,0.01,0.7,0.02,1.5\n"
    "3,full*0,2.3,0.01,2.3,0.02,1.5\n"  // This run lacks its pass, so it does not count.
    "2,full*1/prune:0.5*1,0.9,0.01,0.9,0.02,1.5\n";

// The mean loss of part i is 2^i, so the mean of the deciding half shows which parts are in it.
Measured telling(std::uint32_t seed, const std::string& path) {
  Measured measured = measured_at(seed, path, 1.0);
  for (std::uint32_t i = 0; i < kParts; ++i) {
    const double mean = 1u << i;
    measured.parts[i] = {100, 100 * mean, 100 * mean * mean, 0};
  }
  return measured;
}

TEST_F(RecordedTest, ReplayingGivesTheHalvesOfOneDivisionAsTheyWereRecorded) {
  std::string text = head_of(parsed("network=lenet5"));
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    for (const char* path : {"full*0", "full*1", "prune:0.5*0", "prune:0.5*1"}) {
      text += line_of(telling(seed, path));
    }
  }
  const RecordedStudy study = read(text).value();
  std::set<std::uint32_t> used;
  for (std::uint64_t job = 0; job < 60; ++job) {
    Random random(job);
    const JobDivision division(study, random);
    std::set<std::uint32_t> of_job;
    for (const RecordedVersion& version : study.versions) {
      for (const RecordedRun& run : version.runs) {
        for (const PassMetrics& seen : division.metrics_of(run)) {
          const auto deciding = static_cast<std::uint32_t>(std::lround(8 * seen.decide));
          EXPECT_EQ(std::popcount(deciding), 8);
          EXPECT_NEAR(8 * seen.certify, 65535 - deciding, 0.5);
          of_job.insert(deciding);
        }
      }
    }
    ASSERT_EQ(of_job.size(), 1u);
    used.insert(*of_job.begin());
  }
  EXPECT_GT(used.size(), 55u);
}

TEST_F(RecordedTest, HalvesOfTheOlderLayoutAreAsTheyWereRecorded) {
  const RecordedStudy study = read(kOlder).value();
  ASSERT_EQ(study.versions.size(), 1u);
  ASSERT_EQ(study.versions[0].runs.size(), 2u);
  EXPECT_EQ(study.untrained, 2.3);
  const RecordedRun& run = study.versions[0].runs[0];
  EXPECT_EQ(run.halves[1].decide, 0.5);
  EXPECT_EQ(run.halves[1].certify, 0.6);
  EXPECT_DOUBLE_EQ(run.split, 10);  // The unit is standard errors.
}

TEST_F(RecordedTest, RunsOfTheOlderLayoutWithoutTheUntrainedModelCountWithAPassMore) {
  const std::string one = std::string(kOlder) + "4,full*1,0.5,0.01,0.6,0.02,1.5\n";
  EXPECT_EQ(read(one).value().versions[0].runs.size(), 2u);
  const std::string two = one + "4,full*2,0.4,0.01,0.6,0.02,1.5\n";
  ASSERT_EQ(read(two).value().versions[0].runs.size(), 3u);
  EXPECT_EQ(read(two).value().versions[0].runs[2].halves[1].decide, 0.5);
}

TEST_F(RecordedTest, RunsOfTheOlderLayoutAreShiftedToOneDivision) {
  const RecordedStudy study = read(kOlder).value();
  const auto& runs = study.versions[0].runs;  // Their splits are 10 and 0.
  for (std::uint64_t job = 0; job < 10; ++job) {
    Random random(job);
    const JobDivision division(study, random);
    const PassMetrics first = division.metrics_of(runs[0])[1];
    const PassMetrics second = division.metrics_of(runs[1])[1];
    EXPECT_NEAR(first.certify - first.decide, second.certify - second.decide, 1e-12);
    EXPECT_NEAR(first.certify + first.decide, 1.1, 1e-12);
  }
}

TEST_F(RecordedTest, CalibratingAndJudgingSeedsAreDisjointAndTogetherAll) {
  const std::string text = parts(5);
  const auto seeds_of = [&](Seeds seeds) {
    std::vector<std::uint32_t> found;
    const RecordedStudy study = read(text, seeds).value();
    for (const RecordedRun& run : study.versions[0].runs) found.push_back(run.measured[0].seed);
    return found;
  };
  EXPECT_EQ(seeds_of(Seeds::kCalibrate), (std::vector<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(seeds_of(Seeds::kJudge), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(seeds_of(Seeds::kAll), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
}

TEST_F(RecordedTest, ALineThatIsBeingWrittenIsLeftOut) {
  const std::string text = parts(2);
  EXPECT_EQ(read(text + "3,full*0,0,2.").value().versions[0].runs.size(), 2u);
}

TEST_F(RecordedTest, WithoutARunOfAVersionThereIsNoStudy) {
  const auto none = read(parts(1), Seeds::kJudge);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, file_.string() + ": found no run, expected some of 1 passes");
}

}  // namespace recorded_test
}  // namespace surety::bench
