#include "orchestrator/session/answer_check.h"

#include <gmock/gmock.h>

#include <limits>

namespace surety::orchestrator {
namespace answer_check_test {

using ::testing::HasSubstr;

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};
const SaveOrder kSave{"runs/r/checkpoints/pass-0001"};

proto::SavedFile file_of(const std::string& name, const std::vector<std::uint32_t>& chunks = {}) {
  proto::SavedFile file;
  file.set_path(kSave.folder + "/" + name);
  for (const std::uint32_t chunk : chunks) file.add_chunks(chunk);
  return file;
}

// The first worker has saved the model, the second one the state of its chunks.
Answers saved() {
  Answers answers;
  *answers[kFirst].mutable_saved()->add_files() = file_of("model.safetensors");
  *answers[kSecond].mutable_saved()->add_files() = file_of("state-2.safetensors", {3, 4});
  return answers;
}

Answers evaluated(std::uint64_t first, std::uint64_t second) {
  Answers answers;
  answers[kFirst].mutable_evaluated()->mutable_sums()->set_samples(first);
  answers[kSecond].mutable_evaluated()->mutable_sums()->set_samples(second);
  return answers;
}

TEST(AnswerCheck, TimesAndRatesAreFiniteNumbersFromZero) {
  proto::FromWorker step;
  step.mutable_step_done()->set_compute_s(0.5);
  EXPECT_EQ(wrong_number_in(step), std::nullopt);
  step.mutable_step_done()->set_reduce_s(std::numeric_limits<double>::infinity());
  EXPECT_EQ(wrong_number_in(step), "reduce_s is inf, expected a finite number from 0");
  step.mutable_step_done()->set_compute_s(-1);
  EXPECT_EQ(wrong_number_in(step), "compute_s is -1, expected a finite number from 0");
  proto::FromWorker probe;
  probe.mutable_probed()->set_bytes_per_s(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(wrong_number_in(probe).value_or(""), HasSubstr("bytes_per_s is nan"));
}

TEST(AnswerCheck, NoMoreSamplesAreCorrectThanThereAre) {
  proto::FromWorker answer;
  answer.mutable_evaluated()->mutable_sums()->set_samples(10);
  answer.mutable_evaluated()->mutable_sums()->set_correct(10);
  EXPECT_EQ(wrong_number_in(answer), std::nullopt);
  answer.mutable_evaluated()->mutable_sums()->set_correct(11);
  EXPECT_EQ(wrong_number_in(answer), "11 of 10 samples are correct");
}

TEST(AnswerCheck, ACheckpointHasOneModel) {
  EXPECT_EQ(wrong_in_saved(kSave, saved()), std::nullopt);
  Answers without = saved();
  without[kFirst].mutable_saved()->clear_files();
  EXPECT_THAT(wrong_in_saved(kSave, without).value_or(""), HasSubstr("0 files"));
  Answers twice = saved();
  twice[kSecond].mutable_saved()->mutable_files(0)->clear_chunks();
  EXPECT_THAT(wrong_in_saved(kSave, twice).value_or(""), HasSubstr("2 files"));
}

TEST(AnswerCheck, FilesOfACheckpointAreInItsFolder) {
  for (const char* path :
       {"/etc/passwd", "runs/r/checkpoints/pass-0001/../pass-0002/model",
        "runs/r/checkpoints/pass-0001/..", "runs/r/checkpoints/pass-0001/sub/model",
        "runs/r/checkpoints/pass-00012/model", "runs/r/checkpoints/pass-0001/"}) {
    Answers answers = saved();
    answers[kSecond].mutable_saved()->mutable_files(0)->set_path(path);
    EXPECT_THAT(wrong_in_saved(kSave, answers).value_or(""), HasSubstr("worker 2")) << path;
  }
}

TEST(AnswerCheck, TheDualityGapCoversEachSampleOnce) {
  EXPECT_EQ(wrong_in_evaluated({.duality = true}, evaluated(6, 4), 10), std::nullopt);
  EXPECT_THAT(wrong_in_evaluated({.duality = true}, evaluated(6, 6), 10).value_or(""),
              HasSubstr("covers 12 samples, expected 10"));
  EXPECT_EQ(wrong_in_evaluated({.duality = false}, evaluated(6, 6), 10), std::nullopt);
}

TEST(AnswerCheck, NoLossIsBelowZero) {
  proto::FromWorker answer;
  answer.mutable_evaluated()->mutable_sums()->set_loss_sum(-1e6);
  EXPECT_EQ(wrong_number_in(answer), "loss_sum is -1000000, expected 0 or more");
  // The loss of a model that has diverged is NaN.
  answer.mutable_evaluated()->mutable_sums()->set_loss_sum(
      std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(wrong_number_in(answer), std::nullopt);
}

TEST(AnswerCheck, NoDualityGapIsBelowZeroByMoreThanRounding) {
  proto::FromWorker answer;
  proto::Sums& sums = *answer.mutable_evaluated()->mutable_sums();
  sums.set_samples(10);
  sums.set_loss_sum(5);
  sums.set_gap_sum(-1e-12);
  EXPECT_EQ(wrong_number_in(answer), std::nullopt);
  sums.set_gap_sum(-0.5);
  EXPECT_EQ(wrong_number_in(answer), "a part of the duality gap is -0.5, expected 0 or more");
  sums.set_gap_sum(1);
  sums.set_penalty_gap(-1);
  EXPECT_EQ(wrong_number_in(answer), "a part of the duality gap is -1, expected 0 or more");
}

TEST(AnswerCheck, AsManyValidationSamplesAreEvaluatedAsWereOrdered) {
  EXPECT_EQ(wrong_in_evaluated({.samples = 10}, evaluated(6, 4), 0), std::nullopt);
  EXPECT_EQ(wrong_in_evaluated({.samples = 10}, evaluated(6, 1000), 0),
            "the workers have evaluated 1006 validation samples, expected 10");
}

TEST(AnswerCheck, SomebodyHasEvaluatedASample) {
  EXPECT_EQ(wrong_in_evaluated({}, evaluated(0, 0), 10), "no worker has evaluated a sample");
}

TEST(AnswerCheck, OneModelHasOnePenaltyUpToRounding) {
  Answers answers = evaluated(6, 4);
  answers[kFirst].mutable_evaluated()->mutable_sums()->set_penalty(1);
  answers[kSecond].mutable_evaluated()->mutable_sums()->set_penalty(1 + 1e-12);
  EXPECT_EQ(wrong_in_evaluated({}, answers, 10), std::nullopt);
  answers[kSecond].mutable_evaluated()->mutable_sums()->set_penalty(1.001);
  EXPECT_THAT(wrong_in_evaluated({}, answers, 10).value_or(""),
              HasSubstr("workers 1 and 2 found different penalties"));
}

}  // namespace answer_check_test
}  // namespace surety::orchestrator
