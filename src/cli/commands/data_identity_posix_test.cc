// A run is bound to the samples that it began with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace data_identity_posix_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RunOnAFile : public ::testing::Test {
 protected:
  RunOnAFile() : job_(runs_.glm_job()), rows_(runs_.path("rows.svm")) {}

  void train_to_the_end() {
    const Finished run = runs_.surety({"train", job_, "--out", runs_.path("run"), "--set",
                                       "promise.target=1e-3", "--set", "cluster={local: 1}"});
    ASSERT_EQ(run.code, kKept) << run.output;
  }
  // Flips the label of the first row.
  void change_a_label() {
    std::string text = posix::read_file(rows_).value();
    text[0] = text[0] == '+' ? '-' : '+';
    ASSERT_TRUE(posix::write_file_atomically(rows_, text));
  }

  Runs runs_;
  std::string job_;
  std::string rows_;
};

TEST_F(RunOnAFile, VerifiesWhileTheSamplesAreTheSame) {
  train_to_the_end();
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("ok    the data are those that the run began with"));
  EXPECT_THAT(verified.output, HasSubstr("ok    the job can carry out the plan"));
}

TEST_F(RunOnAFile, DoesNotVerifyWithOtherSamples) {
  train_to_the_end();
  change_a_label();
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kFailed) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("FAIL  the data are those that the run began with"));
}

// Without a signature, whoever can write to the folder can write its journal and its certificate
// anew. The warnings still follow from the data.
TEST_F(RunOnAFile, DoesNotVerifyWithoutAWarningThatFollowsFromItsData) {
  const std::string rows = posix::read_file(rows_).value();
  ASSERT_TRUE(posix::write_file_atomically(
      rows_, std::regex_replace(rows, std::regex(" 2:-?"), " 2:9999")));
  const Finished run = runs_.surety({"train", job_, "--out", runs_.path("run"), "--set",
                                     "train.passes_max=1", "--set", "cluster={local: 1}"});
  ASSERT_THAT(run.output, HasSubstr("warning: data.data-1"));
  const auto verified = [&] {
    return nlohmann::json::parse(runs_.surety({"verify", runs_.path("run"), "--json"}).output);
  };
  const auto check = [&](const nlohmann::json& json) {
    for (const auto& one : json["checks"]) {
      if (one["check"] == "the warnings follow from the data") return one;
    }
    return nlohmann::json();
  };
  const nlohmann::json before = verified();
  EXPECT_EQ(before["warnings"].size(), 1u) << before;
  EXPECT_EQ(check(before)["passed"], true) << before;
  Records records = runs_.journal("run");
  records.front().mutable_run_began()->clear_warnings();
  write_journal(runs_.path("run"), records);
  std::filesystem::remove(runs_.path("run/certificate.json"));
  EXPECT_EQ(runs_.surety({"train", "--resume", "--out", runs_.path("run")}).code, run.code);
  const nlohmann::json after = verified();
  EXPECT_EQ(after["passed"], false) << after;
  EXPECT_EQ(check(after)["passed"], false) << after;
  EXPECT_THAT(std::string(check(after)["found"]),
              HasSubstr("lacks a warning that follows from the data: data.data-1"));
}

// Both workers read files with the same relative path. The second one has a file that differs in
// one feature.
TEST_F(RunOnAFile, GoesOnWithoutAWorkerThatHasOtherSamples) {
  posix::Process run =
      runs_.start({"train", job_, "--out", runs_.path("run"), "--set", "promise.target=1e-300",
                   "--set", "promise.deadline=60min", "--set", "train.passes_max=1000000", "--set",
                   "cluster={local: 0, listen: \"127.0.0.1:0\"}"},
                  "run.log");
  const std::string line = runs_.address("run.log");
  const auto join = [&](const std::string& folder, const std::string& log) {
    return runs_.start({"worker", "--join", line.substr(0, line.find(' ')), "--token-file",
                        runs_.path("run") + "/token", "--data-root", folder},
                       log);
  };
  std::filesystem::create_directory(runs_.path("copy"));
  std::filesystem::copy_file(rows_, runs_.path("copy/rows.svm"));
  const posix::Process first = join(runs_.path("copy"), "first.log");
  ASSERT_TRUE(runs_.wait_for_passes(1, &run));
  std::filesystem::create_directory(runs_.path("other"));
  const std::string rows = posix::read_file(rows_).value();
  std::ofstream(runs_.path("other/rows.svm"))
      << std::regex_replace(rows, std::regex(" 1:-?"), " 1:9");
  posix::Process second = join(runs_.path("other"), "second.log");
  const auto refused = second.wait(posix::kTestPatience);
  ASSERT_TRUE(refused) << runs_.output("second.log");
  EXPECT_EQ(refused->code, kUsage);
  const std::string reason = "found other values in samples";
  EXPECT_THAT(runs_.output("second.log"), HasSubstr(reason));
  // The coordinator prints it after the record of the worker's end is durable.
  EXPECT_TRUE(runs_.wait_for_output("run.log", reason, 1, &run));
  const std::size_t done = passes(runs_.journal("run"));
  EXPECT_TRUE(runs_.wait_for_passes(done + 2, &run));
}

// The check also works if other data sets exist and are read first.
TEST_F(RunOnAFile, SaysThatSamplesWhichAreGoneWereNotCompared) {
  const std::string other = runs_.path("other.svm");
  std::filesystem::copy_file(rows_, other);
  const Finished run =
      runs_.surety({"train", job_, "--out", runs_.path("run"), "--set", "promise.target=1e-3",
                    "--set", "cluster={local: 1}", "--set", "validation=libsvm://" + other});
  ASSERT_EQ(run.code, kKept) << run.output;
  for (const std::string& gone : {other, rows_}) {
    std::filesystem::remove(gone);
    const Finished verified = runs_.surety({"verify", runs_.path("run"), "--json"});
    EXPECT_EQ(verified.code, kKept) << verified.output;
    const auto json = nlohmann::json::parse(verified.output);
    EXPECT_TRUE(json["checks"].back()["passed"].is_null()) << verified.output;
  }
}

// If the files of the final model are not those of the certified model, verify fails.
TEST_F(RunOnAFile, DoesNotVerifyWithAnotherModelsFiles) {
  train_to_the_end();
  const std::string check = "the model files match the certified checkpoint: ";
  EXPECT_THAT(runs_.surety({"verify", runs_.path("run")}).output,
              HasSubstr("ok    " + check + "model.safetensors and model.liblinear: the same"));
  for (const std::string& name : {"run/model.safetensors", "run/model.liblinear"}) {
    std::string text = posix::read_file(runs_.path(name)).value();
    const std::string whole = text;
    text[text.size() - 3] = static_cast<char>(text[text.size() - 3] ^ 1);
    ASSERT_TRUE(posix::write_file_atomically(runs_.path(name), text));
    const Finished verified = runs_.surety({"verify", runs_.path("run")});
    EXPECT_EQ(verified.code, kFailed) << verified.output;
    EXPECT_THAT(verified.output, HasSubstr("FAIL  " + check + name.substr(4) + ": not the model"));
    ASSERT_TRUE(posix::write_file_atomically(runs_.path(name), whole));
  }
  // If the files were moved away, there is nothing to compare.
  std::filesystem::remove(runs_.path("run/model.safetensors"));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("model.safetensors: missing, so not compared"));
}

// An aborted save, or a worker that was delayed in one, leaves such folders.
TEST_F(RunOnAFile, LeavesNoCheckpointsThatNoRecordKnows) {
  train_to_the_end();
  const std::filesystem::path unknown = runs_.path("run/checkpoints/coordinator-2/pass-0001");
  std::filesystem::create_directories(unknown);
  std::ofstream(unknown / "model.safetensors") << "half a model";
  EXPECT_EQ(runs_.surety({"train", "--resume", "--out", runs_.path("run")}).code, kKept);
  EXPECT_FALSE(std::filesystem::exists(runs_.path("run/checkpoints/coordinator-2")));
  EXPECT_EQ(runs_.surety({"verify", runs_.path("run")}).code, kKept);
}

// docs/operations.md says that checkpoints may be deleted after the end.
TEST_F(RunOnAFile, IsVerifiedAndResumedWithoutItsCheckpoints) {
  train_to_the_end();
  std::filesystem::remove_all(runs_.path("run/checkpoints"));
  const std::string model = posix::read_file(runs_.path("run/model.safetensors")).value();
  std::filesystem::remove(runs_.path("run/report.html"));
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("--    the certified checkpoint is unchanged"));
  const Finished resumed = runs_.surety({"train", "--resume", "--out", runs_.path("run")});
  EXPECT_EQ(resumed.code, kKept) << resumed.output;
  EXPECT_TRUE(std::filesystem::exists(runs_.path("run/report.html")));
  EXPECT_EQ(posix::read_file(runs_.path("run/model.safetensors")).value(), model);
  std::string damaged = model;
  damaged[damaged.size() - 3] ^= 1;
  ASSERT_TRUE(posix::write_file_atomically(runs_.path("run/model.safetensors"), damaged));
  EXPECT_EQ(runs_.surety({"verify", runs_.path("run")}).code, kFailed);
}

TEST_F(RunOnAFile, DoesNotVerifyWithChangedFiles) {
  train_to_the_end();
  const std::string as_it_was = runs_.surety({"verify", runs_.path("run")}).output;
  for (const char* const name : {"certificate.json", "job.yaml", "metrics.csv", "report.html"}) {
    EXPECT_THAT(as_it_was, HasSubstr(fmt::format("ok    {} matches the journal", name)));
  }
  const auto put = [&](const std::string& name, const std::string& text) {
    ASSERT_TRUE(posix::write_file_atomically(runs_.path("run/" + name), text));
  };
  const std::string metrics = posix::read_file(runs_.path("run/metrics.csv")).value();
  put("metrics.csv", "1,2\n");
  const Finished changed = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(changed.code, kFailed) << changed.output;
  EXPECT_THAT(changed.output, HasSubstr("FAIL  metrics.csv matches the journal"));
  EXPECT_THAT(changed.output, HasSubstr("line 1: found \"1,2\", expected \"seconds,pass,version"));
  // A link to itself is no missing file.
  std::filesystem::remove(runs_.path("run/metrics.csv"));
  std::filesystem::create_symlink("metrics.csv", runs_.path("run/metrics.csv"));
  EXPECT_EQ(runs_.surety({"verify", runs_.path("run")}).code, kFailed);
  std::filesystem::remove(runs_.path("run/metrics.csv"));
  put("metrics.csv", metrics);
  // Another version of Surety may have written the report.
  put("report.html", "Promise kept");
  const Finished report = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(report.code, kKept) << report.output;
  EXPECT_THAT(report.output, HasSubstr("--    report.html matches the journal: it differs"));
}

// The other checkpoint has a different shape. Verify must not derive the model's files from it.
TEST_F(RunOnAFile, DoesNotVerifyWithAnotherCheckpoint) {
  train_to_the_end();
  const Finished other =
      runs_.surety({"train", runs_.glm_job(), "--out", runs_.path("other"), "--set",
                    "cluster={local: 1}", "--set", "promise.target=0.1", "--set",
                    "data=\"synthetic://?samples=500&features=7&seed=2\""});
  ASSERT_EQ(other.code, kKept) << other.output;
  const auto checkpoint = [&](const std::string& run) {
    std::string folder;
    for (const auto& record : runs_.journal(run)) {
      if (record.has_certified()) folder = record.certified().checkpoint();
    }
    return folder + "/model.safetensors";
  };
  std::filesystem::copy_file(checkpoint("other"), checkpoint("run"),
                             std::filesystem::copy_options::overwrite_existing);
  const Finished verified = runs_.surety({"verify", runs_.path("run")});
  EXPECT_EQ(verified.code, kFailed) << verified.output;
  EXPECT_THAT(verified.output,
              AllOf(HasSubstr("FAIL  the certified checkpoint is unchanged"),
                    HasSubstr("there is no unchanged checkpoint to compare them with")));
}

}  // namespace data_identity_posix_test
}  // namespace surety::cli
