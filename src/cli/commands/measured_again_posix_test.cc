// The second measurement of the final model by a new process, with real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/posix/file.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "runtime/model_files.h"

namespace surety::cli {
namespace measured_again_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

class MeasuredAgain : public ::testing::Test {
 protected:
  MeasuredAgain() : job_(runs_.glm_job()) {}

  // The first thousand rows of the training data. With `is_noise`, the labels have no relation to
  // the features, so that no model is good on these rows.
  std::string validation_rows(bool is_noise) const {
    std::string out;
    std::istringstream lines(runs_.output("rows.svm"));
    std::uint64_t number = 0;
    for (std::string line; std::getline(lines, line) && number < 1000; ++number) {
      const std::string label = number % 2 == 0 ? "+1" : "-1";
      out += (is_noise ? label : line.substr(0, 2)) + line.substr(2) + "\n";
    }
    return out;
  }

  // A training with a target that only a good model reaches.
  std::vector<std::string> arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> out{"train", job_, "--out", runs_.path("run")};
    std::vector<std::string> sets{"promise.metric=accuracy", "promise.target=0.8",
                                  "validation=libsvm://validation.svm"};
    sets.insert(sets.end(), more.begin(), more.end());
    for (const std::string& set : sets) out.insert(out.end(), {"--set", set});
    return out;
  }

  // A run that was killed during the second measurement: its journal ends with the certified
  // result. Returns the folder of the certified checkpoint.
  std::string train_until_certified() {
    const Finished trained =
        runs_.surety({"train", job_, "--out", runs_.path("run"), "--set", "promise.target=0.01"});
    EXPECT_EQ(trained.code, kKept) << trained.output;
    Records records = runs_.journal("run");
    const auto certified = std::ranges::find_if(records, &proto::JournalRecord::has_certified);
    EXPECT_NE(certified, records.end());
    records.erase(certified + 1, records.end());
    write_journal(runs_.path("run"), records);
    return records.back().certified().checkpoint();
  }
  std::string certificate() const { return runs_.output("run/certificate.json"); }

  Runs runs_;
  const std::string job_;
};

TEST_F(MeasuredAgain, ANewProcessMeasuresTheFinalModelAgainBeforeTheRunEnds) {
  std::ofstream(runs_.path("validation.svm")) << validation_rows(false);
  const Finished run = runs_.surety(arguments({"train.passes_max=4"}));
  EXPECT_EQ(run.code, kKept) << run.output;
  EXPECT_THAT(run.output, HasSubstr("a new process measured the final model again: 0.9"));
  EXPECT_THAT(certificate(), HasSubstr("\"measured_again\""));
  EXPECT_THAT(certificate(), Not(HasSubstr("contradicted")));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

TEST_F(MeasuredAgain, AJobMayDoWithoutIt) {
  std::ofstream(runs_.path("validation.svm")) << validation_rows(false);
  const Finished run = runs_.surety(arguments({"train.passes_max=4", "trust.measure_again=off"}));
  EXPECT_EQ(run.code, kKept) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("measured the final model again")));
  EXPECT_THAT(certificate(), HasSubstr("\"not_measured_again\": \"trust.measure_again is off\""));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

// The worker reads other validation data than the coordinator, and so reports an accuracy that the
// model does not have. Here a file is another one for the time in which the worker reads it.
TEST_F(MeasuredAgain, AWorkerWhoseResultIsWrongDoesNotDecideTheVerdict) {
  const std::string file = runs_.path("validation.svm");
  std::ofstream(file) << validation_rows(true);
  posix::Process run = runs_.start(arguments({"train.passes_max=120", "promise.target=0.99999",
                                              "cluster={local: 0, listen: \"127.0.0.1:0\"}"}),
                                   "run.log");
  const std::string line = runs_.address("run.log");
  std::ofstream(file) << validation_rows(false);
  posix::Process worker = runs_.start({"worker", "--join", line.substr(0, line.find(' ')),
                                       "--token-file", runs_.path("run") + "/token"},
                                      "worker.log");
  ASSERT_TRUE(runs_.wait_for_passes(1, &run));
  std::ofstream(file) << validation_rows(true);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status) << runs_.output("run.log");
  const std::string output = runs_.output("run.log");
  EXPECT_EQ(status->code, kMissed) << output;
  EXPECT_THAT(output, HasSubstr("The value of the new process counts"));
  EXPECT_THAT(output, HasSubstr("the workers reported 0.9"));
  EXPECT_THAT(certificate(), HasSubstr("\"contradicted\""));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, 0) << verified.output;
  static_cast<void>(worker.wait(posix::kTestPatience));
}

// The worker reads rows without some features, so its model and its gap are those of another
// problem. The dual variables fit that problem only, and the model is the sum that they had there.
TEST_F(MeasuredAgain, AGapOfOtherDataIsFoundThoughItsDualVariablesAreTheWorkers) {
  const std::string file = runs_.path("rows.svm");
  const std::string rows = runs_.output("rows.svm");
  posix::Process run = runs_.start(
      {"train", job_, "--out", runs_.path("run"), "--set", "promise.target=1e-4", "--set",
       "train.passes_max=200", "--set", "cluster={local: 0, listen: \"127.0.0.1:0\"}"},
      "run.log");
  const std::string line = runs_.address("run.log");
  std::ofstream(file) << std::regex_replace(rows, std::regex(" ([34]|1[0-9]):[-.0-9]*"), "");
  posix::Process worker = runs_.start({"worker", "--join", line.substr(0, line.find(' ')),
                                       "--token-file", runs_.path("run") + "/token"},
                                      "worker.log");
  ASSERT_TRUE(runs_.wait_for_passes(1, &run));
  std::ofstream(file) << rows;
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status) << runs_.output("run.log");
  const std::string output = runs_.output("run.log");
  EXPECT_EQ(status->code, kMissed) << output;
  EXPECT_THAT(output, HasSubstr("The value of the new process counts"));
  EXPECT_THAT(certificate(), HasSubstr("\"contradicted\""));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, 0) << verified.output;
  static_cast<void>(worker.wait(posix::kTestPatience));
}

TEST_F(MeasuredAgain, DualVariablesThatNoProblemHasAreAnInfiniteGap) {
  const Finished trained =
      runs_.surety({"train", job_, "--out", runs_.path("run"), "--set", "promise.target=0.01"});
  ASSERT_EQ(trained.code, kKept) << trained.output;
  ASSERT_EQ(runs_.surety({"measure", runs_.path("run")}).code, 0);
  // The worker's file of the certified checkpoint has dual variables above 1, and the journal says
  // that this is the file that was saved.
  Records records = runs_.journal("run");
  const auto certified = std::ranges::find_if(records, &proto::JournalRecord::has_certified);
  ASSERT_NE(certified, records.end());
  for (proto::JournalRecord& record : records) {
    if (record.checkpoint_committed().folder() != certified->certified().checkpoint()) continue;
    for (proto::SavedFile& saved : *record.mutable_checkpoint_committed()->mutable_files()) {
      if (saved.chunks().empty()) continue;
      const std::vector<ChunkId> ids = [&] {
        std::vector<ChunkId> all;
        for (const std::uint32_t id : saved.chunks()) all.push_back(ChunkId{id});
        return all;
      }();
      std::map<ChunkId, data::Chunk> chunks;
      auto states = runtime::load_chunk_states(saved.path(), saved.checksum(), ids).value();
      for (auto& [id, state] : states) {
        chunks[id].range.id = id;
        chunks[id].state.assign(state.size(), 3.0f);
      }
      saved = runtime::save_chunk_state(saved.path(), chunks).value();
    }
  }
  write_journal(runs_.path("run"), records);
  const Finished measured = runs_.surety({"measure", runs_.path("run")});
  EXPECT_EQ(measured.code, 0) << measured.output;
  EXPECT_THAT(measured.output, HasSubstr("\"value\":null"));
}

TEST_F(MeasuredAgain, TheStateOfARunNamesItsSecondMeasurement) {
  train_until_certified();
  const Finished waits = runs_.surety({"status", runs_.path("run")});
  EXPECT_THAT(waits.output, HasSubstr("stopped in phase measure"));
  EXPECT_THAT(waits.output, HasSubstr("workers   0\n"));
  const Finished resumed = runs_.surety({"train", "--resume", "--out", runs_.path("run")});
  ASSERT_EQ(resumed.code, kKept) << resumed.output;
  EXPECT_THAT(resumed.output, Not(HasSubstr("more workers can join")));
  const Finished ended = runs_.surety({"status", runs_.path("run")});
  EXPECT_THAT(ended.output, HasSubstr("measured  again by a new process, which agrees"));
  EXPECT_THAT(runs_.surety({"status", runs_.path("run"), "--json"}).output,
              HasSubstr("\"measured_again\""));
}

TEST_F(MeasuredAgain, ARunThatIsMovedBeforeTheMeasurementIsResumedAndVerified) {
  train_until_certified();
  std::filesystem::rename(runs_.path("run"), runs_.path("moved"));
  const Finished resumed = runs_.surety({"train", "--resume", "--out", runs_.path("moved")});
  EXPECT_EQ(resumed.code, kKept) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("a new process measured the final model again"));
  const Finished verified = runs_.surety({"verify", runs_.path("moved")});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

TEST_F(MeasuredAgain, ARunWhoseCertifiedModelIsLostHasNoResultAndMayGoOn) {
  const std::string checkpoint = train_until_certified();
  std::ofstream(checkpoint + "/model.safetensors") << "damaged";
  const std::vector<std::string> resume{"train", "--resume", "--out", runs_.path("run")};
  const Finished lost = runs_.surety(resume);
  EXPECT_EQ(lost.code, kInterrupted) << lost.output;
  EXPECT_THAT(lost.output, HasSubstr("the certified model cannot be read any more"));
  const Finished kept = runs_.surety(resume);
  EXPECT_EQ(kept.code, kKept) << kept.output;
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

}  // namespace measured_again_posix_test
}  // namespace surety::cli
