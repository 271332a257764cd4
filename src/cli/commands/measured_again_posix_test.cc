// The second measurement of the final model by a new process, with real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/posix/file.h"
#include "cli/commands/false_worker_test.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "learn/model_checksum.h"
#include "runtime/files/model_files.h"

namespace surety::cli {
namespace measured_again_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void write_file(proto::SavedFile& file, const std::string& bytes) {
  ASSERT_TRUE(posix::write_file_atomically(file.path(), bytes));
  file.set_bytes(bytes.size());
  file.set_checksum(checksum(std::as_bytes(std::span(bytes))));
}

// Writes the dual variables of a checkpoint anew: those of each chunk after a change.
void change_states(proto::CheckpointCommitted& saved,
                   const std::function<void(std::vector<float>& state)>& change) {
  for (proto::SavedFile& file : *saved.mutable_files()) {
    if (file.chunks().empty()) continue;
    std::vector<ChunkId> wanted;
    for (const std::uint32_t id : file.chunks()) wanted.push_back(ChunkId{id});
    auto states = runtime::load_chunk_states(file.path(), file.checksum(), wanted).value();
    std::map<ChunkId, data::Chunk> chunks;
    for (auto& [id, state] : states) {
      change(state);
      chunks[id].range.id = id;
      chunks[id].state = std::move(state);
    }
    const google::protobuf::RepeatedField<std::uint32_t> ids = file.chunks();
    file = runtime::save_chunk_state(file.path(), chunks).value();
    *file.mutable_chunks() = ids;
  }
}

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
  // Starts the run, and a worker that lies. Returns the run's output once it has ended as missed,
  // because the new process does not lie.
  std::string missed_with_a_false_worker(std::vector<std::string> command, Lies lies) {
    command.insert(command.end(), {"--set", "cluster={local: 0, listen: \"127.0.0.1:0\"}"});
    posix::Process run = runs_.start(std::move(command), "run.log");
    const std::string line = runs_.address("run.log");
    std::string token = runs_.output("run/token");
    token.erase(token.find_last_not_of('\n') + 1);
    const std::jthread worker =
        false_worker(line.substr(0, line.find(' ')), token, std::move(lies));
    const auto status = run.wait(posix::kTestPatience);
    const std::string output = runs_.output("run.log");
    EXPECT_TRUE(status) << output;
    if (status) EXPECT_EQ(status->code, kMissed) << output;
    EXPECT_THAT(output, HasSubstr("The value of the new process counts"));
    EXPECT_THAT(certificate(), HasSubstr("\"contradicted\""));
    return output;
  }
  void expect_verified(const std::string& run = "run") {
    const Finished verified = runs_.surety({"verify", runs_.path(run)});
    EXPECT_EQ(verified.code, 0) << verified.output;
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
  expect_verified();
}

TEST_F(MeasuredAgain, AJobMayDoWithoutIt) {
  std::ofstream(runs_.path("validation.svm")) << validation_rows(false);
  const Finished run = runs_.surety(arguments({"train.passes_max=4", "trust.measure_again=off"}));
  EXPECT_EQ(run.code, kKept) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("measured the final model again")));
  EXPECT_THAT(certificate(), HasSubstr("\"not_measured_again\": \"trust.measure_again is off\""));
  expect_verified();
}

TEST_F(MeasuredAgain, AWorkerWhoseResultIsWrongDoesNotDecideTheVerdict) {
  std::ofstream(runs_.path("validation.svm")) << validation_rows(true);
  const std::string output = missed_with_a_false_worker(
      arguments({"train.passes_max=120", "promise.target=0.99999"}),
      {.of_evaluations = [](learn::Evaluation& result) { result.correct = result.samples; },
       .of_samples = {}});
  EXPECT_THAT(output, HasSubstr("the workers reported 1"));
  expect_verified();
}

// The worker leaves out some features, so its model and its gap are those of another problem. The
// dual variables fit that problem only, and the model is the sum that they have there.
TEST_F(MeasuredAgain, AGapOfOtherSamplesIsFoundThoughItsDualVariablesAreTheWorkers) {
  missed_with_a_false_worker({"train", job_, "--out", runs_.path("run"), "--set",
                              "promise.target=1e-4", "--set", "train.passes_max=200"},
                             {.of_evaluations = {}, .of_samples = [](data::Samples& samples) {
                                for (std::size_t i = 0; i < samples.index.size(); ++i) {
                                  if (samples.index[i] % 2 == 0) samples.f32[i] = 0;
                                }
                              }});
  expect_verified();
}

// Workers write the files of checkpoints, and the journal has the checksums that they report. What
// is in the files must not make the measurement fail, because then the workers' value would count.
TEST_F(MeasuredAgain, ACheckpointWithoutAModelOrDualVariablesOfTheJobHasNoFiniteMetric) {
  train_until_certified();
  const Records honest = runs_.journal("run");
  std::filesystem::copy(runs_.path("run"), runs_.path("kept"),
                        std::filesystem::copy_options::recursive);
  const auto measured = [&](const std::function<void(proto::CheckpointCommitted&)>& change) {
    std::filesystem::remove_all(runs_.path("run"));
    std::filesystem::copy(runs_.path("kept"), runs_.path("run"),
                          std::filesystem::copy_options::recursive);
    Records records = honest;
    for (proto::JournalRecord& record : records) {
      const bool is_it =
          record.checkpoint_committed().folder() == honest.back().certified().checkpoint();
      if (is_it) change(*record.mutable_checkpoint_committed());
    }
    write_journal(runs_.path("run"), records);
    const Finished finished = runs_.surety({"measure", runs_.path("run")});
    EXPECT_EQ(finished.code, 0) << finished.output;
    return finished.output;
  };
  EXPECT_THAT(measured([](const auto&) {}), Not(HasSubstr("null")));
  const auto no_value = HasSubstr("\"value\":null");
  EXPECT_THAT(measured([](proto::CheckpointCommitted& saved) {
                change_states(saved, [](std::vector<float>& state) { state.front() = 3; });
              }),
              AllOf(no_value, HasSubstr("does not allow the values of some dual variables")));
  EXPECT_THAT(measured([](proto::CheckpointCommitted& saved) {
                change_states(saved, [](std::vector<float>& state) { state.pop_back(); });
              }),
              AllOf(no_value, HasSubstr("dual variables, expected")));
  EXPECT_THAT(measured([](proto::CheckpointCommitted& saved) {
                for (proto::SavedFile& file : *saved.mutable_files()) {
                  if (!file.chunks().empty()) write_file(file, "no safetensors");
                }
              }),
              no_value);
  EXPECT_THAT(measured([](proto::CheckpointCommitted& saved) {
                for (proto::SavedFile& file : *saved.mutable_files()) {
                  if (!file.chunks().empty()) write_file(file, std::string(2 << 20, ' '));
                }
              }),
              AllOf(no_value, HasSubstr("more than one dual variable for each sample")));
  EXPECT_THAT(measured([](proto::CheckpointCommitted& saved) {
                learn::Model model;
                model.parameters = {1, 2, 3};
                for (proto::SavedFile& file : *saved.mutable_files()) {
                  if (file.chunks().empty()) file = runtime::save_model(file.path(), model).value();
                }
                saved.set_model_checksum(learn::model_checksum(model));
              }),
              AllOf(no_value, HasSubstr("3 weights, expected 20")));
}

// A lasso's gap is no smooth function of its sums, so the rounding of the workers shows most there.
TEST_F(MeasuredAgain, ASmallGapOfALassoIsNotContradicted) {
  const Finished trained = runs_.surety(
      {"train", job_, "--out", runs_.path("run"), "--set", "promise.target=1e-6", "--set",
       "train.l1_ratio=1", "--set", "train.lambda=0.01", "--set", "train.passes_max=300"});
  EXPECT_THAT(trained.output, HasSubstr("measured the final model again")) << trained.output;
  EXPECT_THAT(certificate(), Not(HasSubstr("contradicted")));
}

TEST_F(MeasuredAgain, TheStateOfARunNamesItsSecondMeasurement) {
  train_until_certified();
  const Finished waits = runs_.surety({"status", runs_.path("run")});
  EXPECT_THAT(waits.output, HasSubstr("stopped in phase measure"));
  EXPECT_THAT(waits.output, HasSubstr("workers   0\n"));
  // The result is certified, so the time to the deadline does not matter any more.
  EXPECT_THAT(waits.output, Not(HasSubstr("if it is resumed now")));
  const Finished resumed = runs_.surety({"train", "--resume", "--out", runs_.path("run")});
  ASSERT_EQ(resumed.code, kKept) << resumed.output;
  EXPECT_THAT(resumed.output, Not(HasSubstr("more workers can join")));
  const Finished ended = runs_.surety({"status", runs_.path("run")});
  EXPECT_THAT(ended.output, HasSubstr("measured  again by a new process, which agrees"));
  // Training by hand makes no attempts.
  EXPECT_THAT(runs_.surety({"status", runs_.path("run"), "--json"}).output,
              AllOf(HasSubstr("\"measured_again\""), HasSubstr("\"attempt\": null")));
}

TEST_F(MeasuredAgain, ARunThatIsMovedBeforeTheMeasurementIsResumedAndVerified) {
  train_until_certified();
  std::filesystem::rename(runs_.path("run"), runs_.path("moved"));
  const Finished resumed = runs_.surety({"train", "--resume", "--out", runs_.path("moved")});
  EXPECT_EQ(resumed.code, kKept) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("a new process measured the final model again"));
  expect_verified("moved");
}

// The worker writes a file with NaN in the place of the model, and it reports its checksums.
TEST_F(MeasuredAgain, AModelThatIsNotFiniteIsMissedAndVerified) {
  train_until_certified();
  Records records = runs_.journal("run");
  proto::Certified& certified = *records.back().mutable_certified();
  for (proto::JournalRecord& record : records) {
    if (record.checkpoint_committed().folder() != certified.checkpoint()) continue;
    proto::CheckpointCommitted& saved = *record.mutable_checkpoint_committed();
    learn::Model model;
    model.parameters.assign(20, std::nanf(""));
    for (proto::SavedFile& file : *saved.mutable_files()) {
      if (file.chunks().empty()) file = runtime::save_model(file.path(), model).value();
    }
    saved.set_model_checksum(learn::model_checksum(model));
    certified.set_model_checksum(saved.model_checksum());
  }
  write_journal(runs_.path("run"), records);
  const Finished missed = runs_.surety({"train", "--resume", "--out", runs_.path("run")});
  EXPECT_EQ(missed.code, kMissed) << missed.output;
  EXPECT_THAT(missed.output, HasSubstr("no finite value"));
  expect_verified();
}

TEST_F(MeasuredAgain, ARunWhoseCertifiedModelIsLostHasNoResultAndMayGoOn) {
  const std::string checkpoint = train_until_certified();
  std::ofstream(checkpoint + "/model.safetensors") << "damaged";
  const std::vector<std::string> resume{"train", "--resume", "--out", runs_.path("run")};
  const Finished kept = runs_.surety(resume);
  EXPECT_EQ(kept.code, kKept) << kept.output;
  EXPECT_THAT(kept.output, HasSubstr("the certified model is lost"));
  expect_verified();
}

}  // namespace measured_again_posix_test
}  // namespace surety::cli
