#include "bench/studies/recorded.h"

#include <gtest/gtest.h>

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

std::string quarters(std::uint32_t seeds) {
  Provenance provenance;
  provenance.put("network", "lenet5");
  std::string text = head_of(provenance);
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
    "3,full*0,2.3,0.01,2.3,0.02,1.5\n"  // Without its pass: no run.
    "2,full*1/prune:0.5*1,0.9,0.01,0.9,0.02,1.5\n";

TEST_F(RecordedTest, ReplayingGivesTheHalvesOfOneDivisionAsTheyWereRecorded) {
  const RecordedStudy study = read(quarters(4)).value();
  std::vector<bool> used(16);
  for (std::uint64_t job = 0; job < 60; ++job) {
    Random random(job);
    const JobDivision division(study, random);
    std::optional<Division> shared;  // By all runs of the job.
    for (const RecordedVersion& version : study.versions) {
      for (const RecordedRun& run : version.runs) {
        const std::vector<Seen> seen = division.seen(run);
        ASSERT_EQ(seen.size(), 2u);
        for (const Division candidate : halvings()) {
          const Point point = divide(run.quarters[1], candidate);
          if (point.metric != seen[1].decide || point.certify_metric != seen[1].certify) continue;
          // Quarters 1 and 4 have the mean of 2 and 3, but not their spread.
          if (point.metric_se != seen[1].decide_se) continue;
          if (!shared) shared = candidate;
          EXPECT_EQ(candidate, *shared);
        }
      }
    }
    ASSERT_TRUE(shared);
    used[shared->deciding] = true;
  }
  EXPECT_EQ(std::ranges::count(used, true), 6);
}

TEST_F(RecordedTest, HalvesOfTheOlderLayoutAreAsTheyWereRecorded) {
  const RecordedStudy study = read(kOlder).value();
  ASSERT_EQ(study.versions.size(), 1u);
  ASSERT_EQ(study.versions[0].runs.size(), 2u);
  EXPECT_EQ(study.untrained, 2.3);
  const RecordedRun& run = study.versions[0].runs[0];
  EXPECT_EQ(run.halves[1].decide, 0.5);
  EXPECT_EQ(run.halves[1].certify, 0.6);
  EXPECT_DOUBLE_EQ(run.split, 10);  // Of standard errors.
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
  const auto& runs = study.versions[0].runs;  // Splits 10 and 0.
  for (std::uint64_t job = 0; job < 10; ++job) {
    Random random(job);
    const JobDivision division(study, random);
    const Seen first = division.seen(runs[0])[1], second = division.seen(runs[1])[1];
    EXPECT_NEAR(first.certify - first.decide, second.certify - second.decide, 1e-12);
    EXPECT_NEAR(first.certify + first.decide, 1.1, 1e-12);
  }
}

TEST_F(RecordedTest, CalibratingAndJudgingSeedsAreDisjointAndTogetherAll) {
  const std::string text = quarters(5);
  const auto seeds_of = [&](Seeds seeds) {
    std::vector<std::uint32_t> found;
    const RecordedStudy study = read(text, seeds).value();
    for (const RecordedRun& run : study.versions[0].runs) found.push_back(run.quarters[0].seed);
    return found;
  };
  EXPECT_EQ(seeds_of(Seeds::kCalibrate), (std::vector<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(seeds_of(Seeds::kJudge), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(seeds_of(Seeds::kAll), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
}

TEST_F(RecordedTest, ALineThatIsBeingWrittenIsLeftOut) {
  const std::string text = quarters(2);
  EXPECT_EQ(read(text + "3,full*0,0,2.").value().versions[0].runs.size(), 2u);
}

TEST_F(RecordedTest, WithoutARunOfAVersionThereIsNoStudy) {
  const auto none = read(quarters(1), Seeds::kJudge);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, file_.string() + ": found no run, expected some of 1 passes");
}

}  // namespace recorded_test
}  // namespace surety::bench
