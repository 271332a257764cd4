// Models from training to predictions, with real programs: ours, and those of LIBLINEAR.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/random.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "learn/linear/model/linear_model_file.h"

namespace surety::cli {
namespace predict_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Runs a program of Debian's liblinear-tools, which `scripts/setup --tests` installs.
Finished liblinear(Runs& runs, std::vector<std::string> argv) {
  auto process = posix::Process::start({.argv = std::move(argv), .output = runs.path("liblinear")});
  if (!process) return {.code = -1, .output = process.error().message};
  const auto status = process->wait(posix::kTestPatience);
  return {.code = status ? status->code : -1, .output = runs.output("liblinear")};
}

// Writes a model of two features, and four rows that it predicts right, wrong, right, right.
std::string small_model(const Runs& runs) {
  std::ofstream(runs.path("model")) << "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\n"
                                       "nr_feature 2\nbias -1\nw\n1\n-1\n";
  std::ofstream(runs.path("rows.svm")) << "+1 1:2 2:1\n+1 1:1 2:2\n-1 2:1\n1 1:1\n";
  return runs.path("model");
}

TEST(Predict, TheExampleTrainsShowsItsObjectiveAndPredicts) {
  Runs runs;
  const Finished run = runs.surety(
      {"train", "examples/glm.yaml", "--out", runs.path("run"), "--set", "promise.target=1e-2",
       "--set", "data=\"synthetic://?samples=2000&features=500\"", "--set",
       "validation=\"synthetic://?samples=400&features=500&first=100000\"", "--set",
       "cluster.local=2"});
  ASSERT_EQ(run.code, kKept) << run.output;
  for (const char* text :
       {"  objective 0.", "  gap ", "  accuracy 0.", "objective:   0.", "training:    accuracy 0.",
        "validation:  accuracy 0.", "s each (median)", "model.liblinear"}) {
    EXPECT_THAT(run.output, HasSubstr(text));
  }
  const std::string data = "synthetic://?samples=400&features=500&first=100000";
  const Finished json =
      runs.surety({"predict", "--model", runs.path("run"), "--data", data, "--json"});
  ASSERT_EQ(json.code, 0) << json.output;
  const auto score = nlohmann::json::parse(json.output);
  EXPECT_EQ(score["samples"], 400);
  EXPECT_GT(score["accuracy"], 0.6);  // A random guess has 0.5 ± 0.025.
  EXPECT_THAT(run.output, HasSubstr(fmt::format("({} of 400)", score["correct"].get<int>())));
}

TEST(Predict, LiblinearReadsOurModelAndSaysTheSame) {
  Runs runs;
  const std::string job = runs.glm_job();
  for (const std::string zoo : {"logistic", "svm", "ridge"}) {
    const std::string run = runs.path(zoo);
    const std::string ours = runs.path("ours");
    const std::string theirs = runs.path("theirs");
    const Finished trained =
        runs.surety({"train", job, "--out", run, "--set", "model.zoo=" + zoo, "--set",
                     "train.passes_max=5", "--set", "cluster.local=1"});
    ASSERT_TRUE(trained.code == kKept || trained.code == kMissed) << trained.output;
    const Finished predicted = runs.surety({"predict", "--model", run, "--data",
                                            "libsvm://" + runs.path("rows.svm"), "--output", ours});
    ASSERT_EQ(predicted.code, 0) << predicted.output;
    const Finished finished = liblinear(
        runs, {"liblinear-predict", runs.path("rows.svm"), run + "/model.liblinear", theirs});
    ASSERT_EQ(finished.code, 0) << finished.output << "\nscripts/setup --tests installs it";
    std::istringstream a(contents(ours));
    std::istringstream b(contents(theirs));
    std::size_t lines = 0;
    for (double x = 0, y = 0; a >> x && b >> y; ++lines) ASSERT_NEAR(x, y, 1e-5) << zoo << lines;
    EXPECT_EQ(lines, 3000u);
  }
}

// Every third of the 20 features has no influence on the labels.
TEST(Predict, AnElasticNetKeepsItsPromiseAndSaysHowManyWeightsAreLeft) {
  Runs runs;
  const std::string job = runs.glm_job();
  for (const std::string zoo : {"elastic-net", "lasso"}) {
    const std::string run = runs.path(zoo);
    const std::string ours = runs.path("ours");
    const Finished trained = runs.surety({"train", job, "--out", run, "--set", "model.zoo=" + zoo,
                                          "--set", "train.lambda=0.1", "--set",
                                          "promise.target=1e-4", "--set", "cluster.local=2"});
    ASSERT_EQ(trained.code, kKept) << trained.output;
    EXPECT_THAT(trained.output, HasSubstr("weights:     13 of 20 are not zero"));
    EXPECT_THAT(trained.output, HasSubstr("validation:  mean squared error 0."));
    const std::string model = contents(run + "/model.liblinear");
    std::size_t zeros = 0;
    for (std::size_t at = 0; (at = model.find("\n0 ", at)) != model.npos; ++at) ++zeros;
    EXPECT_EQ(zeros, 7u) << model;
  }
}

TEST(Predict, OurPredictionsWithLiblinearsModelAreItsOwn) {
  Runs runs;
  runs.glm_job();
  const std::string rows = runs.path("rows.svm");
  const std::string model = runs.path("model");
  for (const char* solver : {"0", "3", "4", "11"}) {
    ASSERT_EQ(liblinear(runs, {"liblinear-train", "-s", solver, "-B", "1", rows, model}).code, 0)
        << "scripts/setup --tests installs it";
    ASSERT_EQ(liblinear(runs, {"liblinear-predict", rows, model, runs.path("theirs")}).code, 0);
    const Finished predicted = runs.surety(
        {"predict", "--model", model, "--data", "libsvm://" + rows, "--output", runs.path("ours")});
    ASSERT_EQ(predicted.code, 0) << predicted.output;
    std::istringstream a(contents(runs.path("ours")));
    std::istringstream b(contents(runs.path("theirs")));
    std::size_t lines = 0;
    for (double x = 0, y = 0; a >> x && b >> y; ++lines) {
      ASSERT_NEAR(x, y, 1e-5) << solver << " " << lines;
    }
    EXPECT_EQ(lines, 3000u);
  }
}

// The certificate comes from half of the validation samples. This test predicts other samples, and
// about as many must be right.
TEST(Predict, ATrainedNetworkPredictsAsItsMetadataSayThatItIs) {
  Runs runs;
  const std::string job = runs.glm_job();
  const std::string run = runs.path("run");
  const Finished trained =
      runs.surety({"train", job,
                   "--out", run,
                   "--set", "data=\"digits://?samples=600\"",
                   "--set", "validation=\"digits://?samples=200&first=100000\"",
                   "--set", "model={zoo: mlp, versions: [full]}",
                   "--set", "promise.metric=validation_loss",
                   "--set", "promise.target=1.5",
                   "--set", "train={learning_rate: 0.05, passes_max: 6}",
                   "--set", "promise.deadline=60min",
                   "--set", "cluster.local=1"});
  ASSERT_EQ(trained.code, kKept) << trained.output;
  const std::string data = "digits://?samples=1500&first=200000";
  const Finished scores =
      runs.surety({"predict", "--model", run, "--data", "digits://?samples=3&first=200000",
                   "--scores", "--output", runs.path("scores")});
  ASSERT_EQ(scores.code, 0) << scores.output;
  EXPECT_THAT(contents(runs.path("scores")), HasSubstr("prediction,probability_0,probability_1,"));
  const Finished json = runs.surety(
      {"predict", "--model", run, "--data", data, "--json", "--output", runs.path("out")});
  ASSERT_EQ(json.code, 0) << json.output;
  const auto score = nlohmann::json::parse(json.output);
  EXPECT_EQ(score["network"], "mlp");
  EXPECT_EQ(score["samples"], 1500);
  EXPECT_GT(score["accuracy"], 0.3);  // A random guess has 0.1 ± 0.008.
  const std::string predictions = contents(runs.path("out"));
  EXPECT_EQ(std::count(predictions.begin(), predictions.end(), '\n'), 1500);

  const std::string model = run + "/model.safetensors";
  const std::string cut = runs.path("cut.safetensors");
  std::ofstream(cut) << contents(model).substr(0, 5000);
  const std::string damaged = runs.path("damaged.safetensors");
  std::string bytes = contents(model);
  bytes[bytes.size() - 40] ^= 1;
  std::ofstream(damaged) << bytes;
  std::ofstream(runs.path("wide.csv")) << "a,b,c,y\n1,2,3,1\n";
  struct Case {
    std::string model;
    std::string data;
    std::string message;
  };
  const std::vector<Case> cases{{model, "csv://" + runs.path("wide.csv") + "?label=y",
                                 "found tables of numbers, expected images of bytes"},
                                {cut, data, "cut.safetensors"},
                                {damaged, data, "found checksum"},
                                {model, "idx:///nowhere-images-idx3", "nowhere-images-idx3"}};
  for (const Case& c : cases) {
    const Finished done = runs.surety(
        {"predict", "--model", c.model, "--data", c.data, "--output", runs.path("bad")});
    EXPECT_EQ(done.code, kUsage) << c.message << "\n" << done.output;
    EXPECT_THAT(done.output, HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(runs.path("bad"))) << c.message;
    EXPECT_FALSE(std::filesystem::exists(runs.path("bad.partial"))) << c.message;
  }
}

TEST(Predict, PredictionsAreLinesAndTheScoreComesLast) {
  Runs runs;
  const std::string model = small_model(runs);
  const std::string data = "libsvm://" + runs.path("rows.svm");
  const Finished both = runs.surety({"predict", "--model", model, "--data", data});
  EXPECT_EQ(both.code, 0);
  EXPECT_EQ(both.output, "1\n-1\n-1\n1\naccuracy 0.7500 (3 of 4)\n");
  const Finished file =
      runs.surety({"predict", "--model", model, "--data", data, "--output", runs.path("out")});
  EXPECT_EQ(file.output, "accuracy 0.7500 (3 of 4)\n");
  EXPECT_EQ(contents(runs.path("out")), "1\n-1\n-1\n1\n");
}

TEST(Predict, ScoresAreColumnsWithTheProbabilityOfEachClass) {
  Runs runs;
  const std::string model = small_model(runs);
  const std::string data = "libsvm://" + runs.path("rows.svm");
  const Finished logistic = runs.surety({"predict", "--model", model, "--data", data, "--scores"});
  EXPECT_EQ(logistic.code, 0);
  EXPECT_EQ(logistic.output,
            "prediction,probability_1,probability_-1\n1,0.731059,0.268941\n-1,0.268941,0.731059\n"
            "-1,0.268941,0.731059\n1,0.731059,0.268941\naccuracy 0.7500 (3 of 4)\n");
  std::ofstream(model) << "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\n"
                          "nr_feature 2\nbias -1\nw\n1\n-1\n";
  const Finished svm = runs.surety({"predict", "--model", model, "--data", data, "--scores"});
  EXPECT_THAT(svm.output, HasSubstr("prediction,decision_1,decision_-1\n1,1,-1\n-1,-1,1\n"));
  std::ofstream(model) << "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 2\nbias -1\nw\n"
                          "1\n-1\n";
  const Finished regression =
      runs.surety({"predict", "--model", model, "--data", data, "--scores"});
  EXPECT_EQ(regression.code, kUsage);
  EXPECT_THAT(regression.output, HasSubstr("--scores: found a model that predicts numbers"));
}

TEST(Predict, FeaturesThatTheModelLacksWeighNothingAndAreTold) {
  Runs runs;
  const std::string model = small_model(runs);
  std::ofstream(runs.path("rows.svm")) << "+1 1:2 7:100\n-1 2:1\n";
  const Finished done =
      runs.surety({"predict", "--model", model, "--data", "libsvm://" + runs.path("rows.svm")});
  EXPECT_THAT(done.output,
              HasSubstr("1 sample of the data with features beyond the 2 of the model"));
  EXPECT_THAT(done.output, HasSubstr("accuracy 1.0000 (2 of 2)"));
}

// A price of 3 age - 2 height for each of `count` rows, with the columns in this order. The column
// "id" has text.
std::string table(const std::vector<std::string>& columns, int count) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  Random random(5);
  for (int i = 0; i < count; ++i) {
    const double age = random.normal();
    const double height = random.normal();
    const std::map<std::string, std::string> cells{
        {"id", fmt::format("house {}", i)},
        {"age", fmt::format("{:.6f}", age)},
        {"height", fmt::format("{:.6f}", height)},
        {"price", fmt::format("{:.6f}", 3 * age - 2 * height)}};
    std::vector<std::string> row;
    for (const std::string& column : columns) row.push_back(cells.at(column));
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

// Trains on a table with the columns age, height and price. Returns the folder of the run.
std::string model_of_table(Runs& runs) {
  std::ofstream(runs.path("train.csv")) << table({"age", "height", "price"}, 200);
  const Finished trained =
      runs.surety({"train", runs.glm_job(), "--out", runs.path("run"), "--set",
                   "data=\"csv://" + runs.path("train.csv") + "?label=price\"", "--set",
                   "validation=\"csv://" + runs.path("train.csv") + "?label=price\"", "--set",
                   "model.zoo=ridge", "--set", "promise.target=1e-3", "--set", "cluster.local=1"});
  EXPECT_EQ(trained.code, kKept) << trained.output;
  return runs.path("run");
}

TEST(Predict, ColumnsAreFoundByNameAndTheLabelMayBeMissing) {
  Runs runs;
  const std::string run = model_of_table(runs);
  const auto predict = [&](const std::vector<std::string>& columns, const std::string& options,
                           const std::string& output) {
    std::ofstream(runs.path("new.csv")) << table(columns, 50);
    return runs.surety({"predict", "--model", run, "--data",
                        "csv://" + runs.path("new.csv") + options, "--output", runs.path(output)});
  };
  const Finished same = predict({"age", "height", "price"}, "?label=price", "same");
  ASSERT_EQ(same.code, 0) << same.output;
  EXPECT_THAT(same.output, HasSubstr("mean squared error"));
  EXPECT_THAT(same.output, Not(HasSubstr("note:")));
  const Finished other = predict({"id", "price", "height", "age"}, "", "other");
  ASSERT_EQ(other.code, 0) << other.output;
  EXPECT_EQ(other.output,
            "note: 2 columns of the data without a feature of the model are ignored: id, price\n"
            "50 samples without labels\n");
  EXPECT_EQ(contents(runs.path("other")), contents(runs.path("same")));
  const Finished missing = predict({"id", "age"}, "", "missing");
  EXPECT_EQ(missing.code, kUsage);
  EXPECT_THAT(missing.output,
              HasSubstr("new.csv: line 1: found no column height, expected each feature of the "
                        "model: age, height"));
  // The names are a part of the files that verify makes again from the journal.
  const Finished verified = runs.surety({"verify", run});
  EXPECT_EQ(verified.code, kKept) << verified.output;
}

TEST(Predict, WhereNamesCannotBeComparedANoteSaysSo) {
  Runs runs;
  const std::string run = model_of_table(runs);
  std::ofstream(runs.path("new.csv")) << "height,age\n2,1\n";
  std::ofstream(runs.path("new.svm")) << "1:2 2:1\n";
  const Finished nameless =
      runs.surety({"predict", "--model", run + "/model.liblinear", "--data",
                   "csv://" + runs.path("new.csv"), "--output", runs.path("a")});
  EXPECT_EQ(nameless.output,
            "note: the model has no names of features, so these are taken by their place\n"
            "1 sample without labels\n");
  const Finished rows =
      runs.surety({"predict", "--model", run, "--data", "libsvm://" + runs.path("new.svm"),
                   "--no-labels", "--output", runs.path("b")});
  EXPECT_EQ(rows.output,
            "note: the data have no names of features, so these are taken by their place\n"
            "1 sample without labels\n");
  EXPECT_NEAR(std::stod(contents(runs.path("a"))), std::stod(contents(runs.path("b"))), 1e-5);
  const Finished json =
      runs.surety({"predict", "--model", run, "--data", "csv://" + runs.path("new.csv"), "--json"});
  ASSERT_EQ(json.code, 0) << json.output;
  const auto read = nlohmann::json::parse(json.output);
  EXPECT_EQ(read["features_by"], "name");
  EXPECT_EQ(read["samples"], 1);
  EXPECT_FALSE(read.contains("mean_squared_error"));
}

TEST(Predict, WithoutLabelsThereAreOnlyPredictions) {
  Runs runs;
  const std::string model = small_model(runs);
  std::ofstream(runs.path("new.svm")) << "1:2 2:1\n1:1 2:2\n";
  const std::string data = "libsvm://" + runs.path("new.svm");
  const Finished done = runs.surety({"predict", "--model", model, "--data", data, "--no-labels"});
  EXPECT_EQ(done.output, "1\n-1\n2 samples without labels\n");
  const Finished unsaid = runs.surety({"predict", "--model", model, "--data", data});
  EXPECT_EQ(unsaid.code, kUsage);
  EXPECT_THAT(unsaid.output, HasSubstr("if the samples have no labels, add --no-labels"));
  const std::pair<std::string, std::string> contradictions[] = {
      {"csv://t.csv?label=y", "found label= and --no-labels, expected only one of them"},
      {"npy://x.npy?labels=y.npy", "found labels= and --no-labels"},
      {"synthetic://?samples=3", "found a generator and --no-labels, expected a file"}};
  for (const auto& [url, message] : contradictions) {
    const Finished refused =
        runs.surety({"predict", "--model", model, "--data", url, "--no-labels"});
    EXPECT_EQ(refused.code, kUsage);
    EXPECT_THAT(refused.output, HasSubstr(message));
  }
}

// The program with libtorch gets the same options. The class follows from the sign of column a.
TEST(Predict, ANetworkFindsItsColumnsByNameToo) {
  Runs runs;
  const auto write = [&](const std::string& name, int count, bool is_turned) {
    std::ofstream file(runs.path(name));
    file << (is_turned ? "b,a,y\n" : "a,b,y\n");
    for (int i = 0; i < count; ++i) {
      const int a = i % 2 == 0 ? 1 : -1;
      const double b = 0.001 * (i % (count / 10));
      file << (is_turned ? fmt::format("{},{},{}\n", b, a, i % 2)
                         : fmt::format("{},{},{}\n", a, b, i % 2));
    }
    return "csv://" + runs.path(name);
  };
  const std::string data = write("train.csv", 400, false);
  const std::string validation = write("validation.csv", 100, false);
  const Finished trained = runs.surety({"train", runs.glm_job(),
                                        "--out", runs.path("run"),
                                        "--set", "data=\"" + data + "?label=y\"",
                                        "--set", "validation=\"" + validation + "?label=y\"",
                                        "--set", "model={zoo: mlp, versions: [full]}",
                                        "--set", "promise.metric=validation_loss",
                                        "--set", "promise.target=0.5",
                                        "--set", "promise.deadline=60min",
                                        "--set", "train={learning_rate: 0.05, passes_max: 20}",
                                        "--set", "cluster.local=1"});
  ASSERT_EQ(trained.code, kKept) << trained.output;
  const std::string turned = write("turned.csv", 50, true);
  const Finished scored = runs.surety(
      {"predict", "--model", runs.path("run"), "--data", turned + "?label=y", "--json"});
  ASSERT_EQ(scored.code, 0) << scored.output;
  EXPECT_EQ(nlohmann::json::parse(scored.output)["accuracy"], 1.0) << scored.output;
  const Finished unlabelled = runs.surety({"predict", "--model", runs.path("run"), "--data", turned,
                                           "--no-labels", "--output", runs.path("out")});
  EXPECT_EQ(unlabelled.output,
            "note: 1 column of the data without a feature of the model is ignored: y\n"
            "50 samples without labels\n");
}

TEST(Predict, ADamagedModelAndOneThatCannotPredictAreFaultsOfTheInput) {
  Runs runs;
  const std::string rows = "libsvm://" + runs.path("rows.svm");
  small_model(runs);
  const auto put = [&](const std::string& name, const std::vector<float>& weights) {
    const std::vector<std::byte> bytes = learn::to_safetensors("ridge", weights, -1);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::ofstream(runs.path(name)) << text;
    return text;
  };
  std::string damaged = put("whole", {1, 2});
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  std::ofstream(runs.path("damaged")) << damaged;
  std::ofstream(runs.path("cut")) << damaged.substr(0, damaged.size() - 3);
  put("nan", {1, NAN});
  std::ofstream(runs.path("huge")) << "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 2\n"
                                      "bias -1\nw\n1e308\n1e308\n";
  std::ofstream(runs.path("large.svm")) << "1 1:1e30\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"damaged", "found checksum"},
      {"cut", "Restore the file from a copy, or train the model again"},
      {"nan", "found the weight nan of feature 2, expected finite numbers"}};
  for (const auto& [name, message] : cases) {
    const Finished done = runs.surety({"predict", "--model", runs.path(name), "--data", rows});
    EXPECT_EQ(done.code, kUsage) << name << "\n" << done.output;
    EXPECT_THAT(done.output, HasSubstr(message));
  }
  const Finished huge = runs.surety(
      {"predict", "--model", runs.path("huge"), "--data", "libsvm://" + runs.path("large.svm")});
  EXPECT_EQ(huge.code, kUsage) << huge.output;
  EXPECT_THAT(huge.output, HasSubstr("found a prediction of inf, expected a finite number"));
}

TEST(Predict, AnOutputThatIsNoRegularFileIsRefusedAndStaysWhatItIs) {
  Runs runs;
  const std::string model = small_model(runs);
  ASSERT_EQ(::mkfifo(runs.path("pipe").c_str(), 0600), 0);
  std::filesystem::create_directories(runs.path("folder"));
  for (const std::string name : {"pipe", "folder"}) {
    const Finished done =
        runs.surety({"predict", "--model", model, "--data", "libsvm://" + runs.path("rows.svm"),
                     "--output", runs.path(name)});
    EXPECT_EQ(done.code, kUsage) << done.output;
    EXPECT_THAT(done.output, HasSubstr(name + ": found no regular file, expected the name of one"));
    EXPECT_FALSE(std::filesystem::exists(runs.path(name + ".partial"))) << name;
  }
  EXPECT_TRUE(std::filesystem::is_fifo(runs.path("pipe")));
}

TEST(Predict, BadInputIsRefusedWithFileLineFoundAndExpected) {
  Runs runs;
  const std::string model = small_model(runs);
  const std::string rows = "libsvm://" + runs.path("rows.svm");
  std::ofstream(runs.path("bad.svm")) << "+1 1:2\n+1 2:x\n";
  std::ofstream(runs.path("empty.svm")) << "\n";
  std::ofstream(runs.path("wide.csv")) << "a,b,c,y\n1,2,3,1\n";
  std::ofstream(runs.path("cut")) << "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\n"
                                     "bias -1\nw\n1\n";
  std::filesystem::create_directories(runs.path("unfinished"));
  struct Case {
    std::string model;
    std::string data;
    std::string message;
  };
  const std::vector<Case> cases{
      {model, "libsvm://" + runs.path("bad.svm"), "bad.svm: line 2: found \"2:x\", expected a fin"},
      {model, "libsvm://" + runs.path("empty.svm"), "found no samples, expected at least one"},
      {model, "libsvm:///nowhere.svm", "nowhere.svm"},
      {model, "nothing", "expected SCHEME://FILE"},
      {model, "csv://" + runs.path("wide.csv") + "?label=y",
       "found 3 features in each sample, expected 2, as in the model"},
      {runs.path("cut"), rows,
       "cut: line 8: found the end of the file, expected a line of weights"},
      {runs.path("rows.svm"), rows, "rows.svm: found \"+1 1:2 2:1"},
      {runs.path("unfinished"), rows, "unfinished: found no model.safetensors"},
      {runs.path("absent"), rows, "absent"}};
  for (const Case& c : cases) {
    const Finished done = runs.surety(
        {"predict", "--model", c.model, "--data", c.data, "--output", runs.path("out")});
    EXPECT_EQ(done.code, kUsage) << c.message << "\n" << done.output;
    EXPECT_THAT(done.output, HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(runs.path("out"))) << c.message;
    EXPECT_FALSE(std::filesystem::exists(runs.path("out.partial"))) << c.message;
  }
}

}  // namespace predict_posix_test
}  // namespace surety::cli
