// The meaning of a job file, and the words of each refusal.
#include "job/job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/job_check.h"

namespace surety::job {
namespace job_file_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNow = 1'772'388'000;  // 2026-03-01T18:00:00Z

Result<Job> read(std::string_view text, const std::vector<std::string>& sets = {},
                 std::string_view file = "job.yaml") {
  std::vector<Override> overrides;
  for (const std::string& set : sets) {
    SURETY_TRY(Override parsed, parse_override(set));
    overrides.push_back(std::move(parsed));
  }
  return parse_job(file, text, overrides, kNow);
}

std::string refusal(std::string_view text, const std::vector<std::string>& sets = {}) {
  const Result<Job> job = read(text, sets);
  return job ? "accepted" : job.error().message;
}

// Line 1: promise, 2: data, 3: model. The text that a case adds begins on line 4.
constexpr std::string_view kGood =
    "promise: {target: 0.5, deadline: 20min}\n"
    "data: \"digits://?samples=8000\"\n"
    "model: {zoo: lenet5}\n";

std::string good(std::string_view more) { return std::string(kGood) + std::string(more); }

struct Bad {
  std::string text;
  std::vector<std::string> said;  // Texts that the message must contain.
};

void expect_refused(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    const std::string message = refusal(bad.text);
    for (const std::string& part : bad.said) EXPECT_THAT(message, HasSubstr(part)) << bad.text;
  }
}

std::string promise(std::string_view keys) {
  return fmt::format("promise: {{{}}}\ndata: \"digits://\"\nmodel: {{zoo: lenet5}}\n", keys);
}

std::string model(std::string_view keys, std::string_view more = "") {
  return fmt::format(
      "promise: {{target: 0.5, deadline: 20min}}\ndata: \"digits://\"\nmodel: {{{}}}\n{}", keys,
      more);
}

std::string data(std::string_view value) {
  return fmt::format(
      "promise: {{target: 0.5, deadline: 20min}}\nmodel: {{zoo: lenet5}}\ndata: {}\n", value);
}

TEST(JobFile, UnknownKeysAreRefusedWithTheNearestKnownOneAtEachLevel) {
  expect_refused({
      {good("modle: 3\n"), {"job.yaml:4: modle: unknown key, did you mean model?; known keys are"}},
      {promise("target: 1, deadline: 1h, probabilty: 0.9"),
       {"job.yaml:1: promise.probabilty: unknown key, did you mean probability?"}},
      {data("\n  rot: x\n  sets: [\"digits://\"]"),
       {"job.yaml:4: data.rot: unknown key, did you mean root?"}},
      {data("\n  - source: \"digits://\"\n    sites: here"),
       {"job.yaml:5: data.0.sites: unknown key, did you mean site?"}},
      {model("zoo: lenet5, version: [full]"),
       {"job.yaml:3: model.version: unknown key, did you mean versions?"}},
      {good("train:\n  batches: 8\n"),
       {"job.yaml:5: train.batches: unknown key, did you mean batch?"}},
      {good("profile: {seed: 3}\n"),
       {"job.yaml:4: profile.seed: unknown key, did you mean seeds?"}},
      {good("cluster: {xyz: 3}\n"), {"job.yaml:4: cluster.xyz: unknown key; known keys are local"}},
  });
}

TEST(JobFile, AKeyWithoutTheNameOfItsSectionIsAnsweredWithTheWholeName) {
  expect_refused({
      {good("target: 0.9"), {"job.yaml:4: target: unknown key, did you mean promise.target?"}},
      {good("learning_rate: 0.9"), {"unknown key, did you mean train.learning_rate?"}},
      {good("zoo: mlp"), {"unknown key, did you mean model.zoo?"}},
  });
}

TEST(JobFile, AMissingKeySaysWhatToWrite) {
  expect_refused({
      {"", {"job.yaml", "promise: missing, write a mapping with at least target and deadline"}},
      {"promise: {target: 1, deadline: 1h}\nmodel: {zoo: mlp}\n", {"data: missing, write"}},
      {promise("deadline: 1h"), {"job.yaml:1: promise.target: missing, write a number"}},
      {promise("target: 1"), {"job.yaml:1: promise.deadline: missing, write a duration"}},
      {model("versions: [full]"), {"job.yaml:3: model.zoo: missing, write logistic"}},
      {data("[{name: a}]"), {"job.yaml:3: data.0.source: missing, write a source"}},
      {data("[]"), {"job.yaml:3: data.sets: found an empty list, expected a list of at least one"}},
      {data("{root: x}"), {"data.sets: missing, write a list of at least one data set"}},
  });
}

TEST(JobFile, APromiseThatNobodyCanKeepIsRefused) {
  expect_refused({
      {promise("target: 1, deadline: 1h, probability: 1"),
       {"job.yaml:1: promise.probability: found 1, expected a number between 0 and 1 (both "
        "excluded): no finite profile can support certainty; try 0.95"}},
      {promise("target: 1, deadline: 1h, probability: 95"), {"found 95", "95 % is 0.95"}},
      {promise("target: 1, deadline: 1h, probability: 0"), {"found 0, expected a number between"}},
      {promise("target: 1, deadline: 1h, confidence: 1"), {"promise.confidence: found 1"}},
      {promise("target: 0, deadline: 1h"),
       {"promise.target: found 0, expected a number above 0: validation_loss never falls that "
        "low"}},
      {promise("target: -1, deadline: 1h"), {"found -1, expected a number above 0"}},
      {promise("target: nan, deadline: 1h"), {"promise.target: found nan, expected a number"}},
      {promise("target: inf, deadline: 1h"), {"promise.target: found inf, expected a number"}},
      {promise("metric: accuracy, target: 1, deadline: 1h"),
       {"promise.target: found 1, expected an accuracy between 0 and 1 (both excluded)"}},
      {promise("metric: accuracy, target: 98, deadline: 1h"), {"found 98", "98 % is 0.98"}},
      {promise("metric: acuracy, target: 0.9, deadline: 1h"),
       {"promise.metric: found acuracy, expected validation_loss, accuracy or duality_gap",
        "did you mean accuracy?"}},
      {promise("target: 1, deadline: 1h, budget: 0"), {"promise.budget: found 0", "above 0"}},
      {promise("target: [1], deadline: 1h"), {"promise.target: found [1], expected a number"}},
      {promise("target: , deadline: 1h"), {"promise.target: found nothing, expected a number"}},
  });
}

TEST(JobFile, ADeadlineHasAUnitOrIsATimeToCome) {
  constexpr const char* kExpected = "expected a duration with a unit such as 20min";
  expect_refused({
      {promise("target: 1, deadline: 20"), {"job.yaml:1: promise.deadline: found 20", kExpected}},
      {promise("target: 1, deadline: 20 parsecs"), {"found 20 parsecs", kExpected}},
      {promise("target: 1, deadline: 0s"), {"found 0s", kExpected}},
      {promise("target: 1, deadline: 2026-03-01T17:00:00Z"),
       {"found 2026-03-01T17:00:00Z, expected a point in time in the future: it passed 1h ago"}},
      {promise("target: 1, deadline: 2026-03-01T18:00:00Z"), {"it passed 0s ago"}},
      {promise("target: 1, deadline: 2026-03-02T18:00:00"), {"it has no time zone: Z for UTC"}},
      {promise("target: 1, deadline: 2026-02-30T18:00:00Z"),
       {"this day or time of day does not exist"}},
      {promise("target: 1, deadline: 2026-03-01 noon"),
       {"it does not have the form 2026-03-01T18:00:00Z"}},
  });
}

TEST(JobFile, APointInTimeIsReadInItsZone) {
  const Job utc = read(promise("target: 1, deadline: 2026-03-01T18:30:00Z")).value();
  EXPECT_DOUBLE_EQ(utc.promise.deadline_s, 1800);
  EXPECT_DOUBLE_EQ(utc.deadline_unix_s.value(), kNow + 1800);
  const Job offset = read(promise("target: 1, deadline: 2026-03-01 19:45+01:00")).value();
  EXPECT_DOUBLE_EQ(offset.promise.deadline_s, 2700);
  for (const std::string zone : {"+99:99", "-14:01", "+01:60"}) {
    const auto read_in = read(promise("target: 1, deadline: 2026-03-01 19:45" + zone));
    ASSERT_FALSE(read_in) << zone;
    EXPECT_THAT(read_in.error().message, HasSubstr("its time zone does not exist"));
  }
}

TEST(JobFile, ModelsAndVersionsMustBeKnownAndFitEachOther) {
  std::string seventeen;
  for (int percent = 1; percent <= 16; ++percent) {
    seventeen += fmt::format(", prune:{:.2f}", percent / 100.0);
  }
  expect_refused({
      {model("zoo: lenet"),
       {"job.yaml:3: model.zoo: found lenet, expected logistic, svm", "did you mean lenet5?"}},
      {model("zoo: lenet5, versions: [prune:0.5]"), {"full is not among them"}},
      {model("zoo: lenet5, versions: []"), {"full is not among them"}},
      {model("zoo: lenet5, versions: [ful]"),
       {"found [ful], expected", "ful is neither full nor prune:F; did you mean full?"}},
      {model("zoo: lenet5, versions: [full, prune:1]"),
       {"prune:1: F is the fraction", "between 0 and 1"}},
      {model("zoo: lenet5, versions: [full, full]"), {"full is listed twice"}},
      {model("zoo: lenet5, versions: [full" + seventeen + "]"), {"17 versions are more than 16"}},
      {model("zoo: lenet5, versions: full"), {"found full, expected a list with full"}},
      {model("zoo: svm, versions: [full, prune:0.5]"), {"svm has no channels to prune"}},
      {model("zoo: lenet5", "train: {solver: cocoa}"),
       {"job.yaml:4: train.solver: found cocoa, expected local-sgd: cocoa trains linear"}},
      {model("zoo: ridge", "train: {solver: local-sgd}"), {"ridge is trained in its dual form"}},
      {promise("metric: duality_gap, target: 0.1, deadline: 1h"),
       {"job.yaml:1: promise.metric: found duality_gap, expected validation_loss or accuracy",
        "not lenet5"}},
      {model("zoo: lenet5", "train: {lambda: 0.1}"), {"train.lambda", "nothing with local-sgd"}},
      {model("zoo: svm", "train: {momentum: 0.5}"), {"train.momentum", "nothing with cocoa"}},
      {model("zoo: svm", "train: {outer_momentum: 0.5}"), {"outer_momentum", "nothing with cocoa"}},
      {model("zoo: svm", "train: {mode: async, update_weight: 0.5}"),
       {"train.update_weight", "nothing with cocoa"}},
      {model("zoo: svm", "train: {mode: async, tasks_per_node: 4}"),
       {"train.tasks_per_node", "train.mode: sync"}},
      {model("zoo: svm", "train: {mode: batch, micro_tasks: 4}"),
       {"train.micro_tasks", "train.mode: sync"}},
      {model("zoo: lenet5", "train: {mode: hogwild}"), {"sync, batch, bounded or async"}},
      {model("zoo: lenet5", "train: {mode: async, quorum: 2}"), {"quorum", "train.mode: batch"}},
      {model("zoo: lenet5", "train: {mode: batch, ahead: 2}"), {"ahead", "train.mode: bounded"}},
      {model("zoo: lenet5", "train: {overlap: off}"), {"overlap", "batch, bounded or async"}},
      {model("zoo: lenet5", "train: {mode: async, update_weight: 1.5}"), {"found 1.5"}},
      {model("zoo: lenet5", "train: {mode: async, update_weight: 0}"), {"leave the key out"}},
      {model("zoo: lenet5", "train: {mode: async, staleness_max: 0}"), {"a whole number of ver"}},
      {model("zoo: svm", "train: {micro_tasks: 0}"), {"found 0, expected a whole number from 1"}},
      {model("zoo: svm", "train: {lambda: 0}"), {"found 0, expected a number above 0: for the de"}},
  });
}

TEST(JobFile, TheRateOfAveragesFollowsTheirMomentumUnlessWritten) {
  const auto rate = [](const std::string& train) {
    return read(model("zoo: lenet5", "train: {" + train + "}")).value().train.outer_learning_rate;
  };
  EXPECT_EQ(rate(""), 1);
  EXPECT_EQ(rate("outer_momentum: 0.9"), 0.7);
  EXPECT_EQ(rate("outer_momentum: 0.9, outer_learning_rate: 0.5"), 0.5);
  EXPECT_EQ(rate("outer_momentum: 0"), 1);
}

TEST(JobFile, ModelsAreAveragedUnlessItIsSwitchedOff) {
  const auto passes = [](const std::string& train) {
    return read(model("zoo: lenet5", "train: {" + train + "}")).value().train.average_passes;
  };
  EXPECT_EQ(passes("seed: 1"), 2);
  EXPECT_EQ(passes("average: 0.5"), 0.5);
  EXPECT_EQ(passes("average: off"), std::nullopt);
  expect_refused({
      {model("zoo: lenet5", "train: {average: 0}"), {"train.average: found 0", "or off"}},
      {model("zoo: lenet5", "train: {average: on}"), {"train.average: found on", "or off"}},
      {model("zoo: svm", "train: {average: 2}"), {"train.average", "nothing with cocoa"}},
  });
}

TEST(JobFile, TheShareOfTheL1NormFollowsTheModelUnlessWritten) {
  const auto ratio = [](const std::string& zoo, const std::string& train) {
    return read(model("zoo: " + zoo, "train: {" + train + "}")).value().train.l1_ratio;
  };
  EXPECT_EQ(ratio("lasso", "lambda: 0.1"), 1);
  EXPECT_EQ(ratio("elastic-net", "lambda: 0.1"), 0.5);
  EXPECT_EQ(ratio("elastic-net", "lambda: 0.1, l1_ratio: 0.9"), 0.9);
  EXPECT_EQ(ratio("logistic", "lambda: 0.1, l1_ratio: 1"), 1);
  EXPECT_EQ(ratio("svm", ""), 0);
}

TEST(JobFile, AnL1NormNeedsAWeightAndAModelThatHasOne) {
  expect_refused({
      {model("zoo: elastic-net", "train: {lambda: 0.1, l1_ratio: 1.5}"),
       {"job.yaml:4: train.l1_ratio: found 1.5, expected a number from 0 to 1"}},
      {model("zoo: elastic-net", "train: {lambda: 0.1, l1_ratio: -0.1}"), {"found -0.1"}},
      {model("zoo: lasso", "train: {lambda: 0}"),
       {"job.yaml:4: train.lambda: found 0, expected a number above 0"}},
      {model("zoo: lasso", "train: {seed: 1}"),
       {"job.yaml:4: train.lambda: missing, expected a number above 0"}},
      {model("zoo: svm", "train: {l1_ratio: 0.5}"), {"train.lambda: missing"}},
      {model("zoo: lasso", "train: {lambda: 0.1, l1_ratio: 0.5}"),
       {"train.l1_ratio: found 0.5, expected 1 or nothing with lasso", "elastic-net"}},
      {model("zoo: ridge", "train: {l1_ratio: 0.5}"), {"found 0.5, expected 0 or nothing with ri"}},
      {model("zoo: lenet5", "train: {l1_ratio: 0.5}"), {"train.l1_ratio", "weight_decay"}},
  });
}

TEST(JobFile, NumbersOfASectionHaveTheirLimits) {
  expect_refused({
      {good("train: {batch: 0}"), {"train.batch: found 0"}},
      {good("train: {batch: 1.5}"), {"train.batch: found 1.5, expected a whole number"}},
      {good("train: {momentum: 1}"), {"train.momentum: found 1"}},
      {good("train: {outer_momentum: 1}"), {"train.outer_momentum: found 1"}},
      {good("train: {outer_learning_rate: 0}"), {"train.outer_learning_rate: found 0"}},
      {good("train: {learning_rate: fast}"), {"train.learning_rate: found fast"}},
      {good("train: {chunk_bytes: 4096}"), {"found 4096, expected a size with a unit"}},
      {good("train: {chunk_bytes: 1000GiB}"), {"found 1000GiB", "from 1KiB to 1GiB"}},
      {good("profile: {seeds: 1}"),
       {"profile.seeds: found 1", "one run does not show how much runs differ"}},
      {good("profile: {passes: 2}"), {"profile.passes: found 2", "three points"}},
      {good("profile: {data_fractions: [0]}"),
       {"profile.data_fractions: found [0]", "0 is not above 0"}},
      {good("profile: {data_fractions: [1, 1.5]}"), {"1.5 is not above 0 and up to 1"}},
      {good("train: 7"), {"job.yaml:4: train: found 7, expected a mapping"}},
      {"promise: {target: 0.5, deadline: 20min}\ndata: \"digits://\"\nmodel: logistic\n",
       {"job.yaml:3: model: found logistic, expected a mapping", "did you mean {zoo: logistic}?"}},
  });
}

TEST(JobFile, AClusterHasWorkersAndEnoughOfThem) {
  expect_refused({
      {good("cluster: {local: 0}"),
       {"job.yaml:4: cluster.local: found 0", "without workers nothing is trained"}},
      {good("cluster: {local: -1}"), {"cluster.local: found -1, expected a whole number"}},
      {good("cluster: {local: 2, workers_min: 3}"),
       {"cluster.workers_min: found 3, expected at most 2: cluster.local starts no more"}},
      {good("cluster: {workers_min: 0}"), {"cluster.workers_min: found 0"}},
      {good("profile: {workers: [0]}"), {"profile.workers"}},
      {good("cluster: {price: 0.36}"), {"cluster.price: found 0.36", "with a unit"}},
      {good("cluster: {listen: here}"), {"cluster.listen: found here", "no host or no port"}},
      {good("cluster: {listen: \"here:70000\"}"), {"its port is not a number from 0 to 65535"}},
  });
}

// Training by a plan or with fixed settings measures nothing, so only profiling is checked.
TEST(JobFile, AProfileIsMeasuredWithWorkersThatTheJobHas) {
  const auto checked = [](const std::string& more) {
    const Result<void> enough = check_profile_workers("job.yaml", read(good(more)).value());
    return enough ? "fine" : enough.error().message;
  };
  EXPECT_EQ(checked("profile: {workers: [2, 1]}\ncluster: {local: 2}"), "fine");
  EXPECT_EQ(checked("profile: {workers: [4, 2]}\ncluster: {local: 2}"),
            "job.yaml: profile.workers: found 4, expected counts up to 2: profiles are measured "
            "on local, and the job has no more nodes of this type; raise cluster.local, or write "
            "cluster.listen for workers that join");
  EXPECT_THAT(checked("profile: {workers: [3]}\n"
                      "cluster: {nodes: [{name: spot, local: 1, join: 1, price: 1/h}]}"),
              HasSubstr("found 3, expected counts up to 2: profiles are measured on spot"));
  // With a listening coordinator, workers may join from elsewhere.
  EXPECT_EQ(checked("profile: {workers: [4]}\n"
                    "cluster: {listen: \"0.0.0.0:7000\", workers_min: 4}"),
            "fine");
}

TEST(JobFile, WhatOtherProgramsCallAKeyIsKnown) {
  expect_refused({
      {good("train: {lr: 0.1}"), {"train.lr: unknown key, did you mean learning_rate?"}},
      {good("train: {epochs: 3}"), {"train.epochs: unknown key, did you mean passes_max?"}},
      {good("train: {batch_size: 3}"), {"train.batch_size: unknown key, did you mean batch?"}},
      {model("arch: lenet5"), {"model.arch: unknown key, did you mean zoo?"}},
  });
}

TEST(JobFile, APercentageIsAnsweredWithTheNumber) {
  expect_refused({
      {promise("metric: accuracy, target: 85%, deadline: 1h"),
       {"promise.target: found 85%, expected a number", "85% is 0.85"}},
      {promise("target: 1, probability: 90%, deadline: 1h"),
       {"promise.probability: found 90%", "90% is 0.9"}},
  });
}

TEST(JobFile, ASourceThatNobodyReadsIsRefusedAsItWasWritten) {
  EXPECT_THAT(read(data("\"s3://bucket/x\""), {}, "/jobs/job.yaml").error().message,
              HasSubstr("data source \"s3://bucket/x\": found"));
  expect_refused({
      {data("\"s3://bucket/x\""),
       {"job.yaml:3: data.0.source: data source \"s3://bucket/x\": found scheme \"s3\", expected "
        "one of idx,",
        "copy or mount the files"}},
      {data("[\"csv://t.csv?lable=y\"]"), {"data.0.source: ", "did you mean \"label\"?"}},
      {good("validation: \"idxx://v\""),
       {"job.yaml:4: validation: data source \"idxx://v\"", "did you mean \"idx\"?"}},
  });
}

std::string nodes(std::string_view types, std::string_view more = "") {
  return good(fmt::format("cluster:\n  nodes: [{}]\n{}", types, more));
}

TEST(JobFile, OneWorkerIsOneForGoodUnlessOthersAreStartedInvitedOrExpectedToGo) {
  const auto one_worker = [](const std::string& text) {
    return read(text).value().cluster.one_worker();
  };
  EXPECT_TRUE(one_worker(good("")));
  EXPECT_TRUE(one_worker(good("cluster: {local: 1}")));
  EXPECT_TRUE(one_worker(nodes("{name: a, local: 1, price: 1/h}")));
  EXPECT_FALSE(one_worker(good("cluster: {local: 2}")));
  EXPECT_FALSE(one_worker(good("cluster: {local: 1, listen: \"127.0.0.1:0\"}")));
  EXPECT_FALSE(one_worker(good("cluster: {slurm: {}}")));
  EXPECT_FALSE(one_worker(nodes("{name: a, local: 1, join: 1, price: 1/h}")));
  EXPECT_FALSE(one_worker(nodes("{name: a, local: 1, price: 1/h, preempted: 6/h}")));
}

TEST(JobFile, WorkersOfOneTypeShareTheCores) {
  const auto threads = [](const std::string& text, std::uint32_t cores) {
    return read(text).value().cluster.threads_of_each(cores);
  };
  EXPECT_EQ(threads(good("cluster: {local: 1}"), 8), 8u);
  EXPECT_EQ(threads(good("cluster: {local: 3}"), 8), 2u);
  EXPECT_EQ(threads(good("cluster: {local: 16}"), 8), 1u);
  EXPECT_EQ(threads(nodes("{name: a, local: 2, price: 1/h}, {name: b, local: 4, price: 1/h}"), 8),
            2u);
}

TEST(JobFile, NodeTypesAreReadWithTheirDefaults) {
  const Job job = read(nodes("{name: on-demand, local: 2, price: 0.36/h}, {name: spot, join: 4, "
                             "price: 0.1/h, speed: 0.5, preempted: 6/h, restart: 20s, start: "
                             "1min, memory: 2GiB}"))
                      .value();
  ASSERT_EQ(job.cluster.nodes.size(), 2u);
  const NodeTypeSpec& first = job.cluster.nodes[0];
  const NodeTypeSpec& spot = job.cluster.nodes[1];
  EXPECT_EQ(first.name, "on-demand");
  EXPECT_EQ(first.local, 2u);
  EXPECT_EQ(first.join, 0u);
  EXPECT_DOUBLE_EQ(first.price_per_s, 0.0001);
  EXPECT_EQ(first.speed, 1);
  EXPECT_EQ(first.preemptions_per_s, 0);
  EXPECT_EQ(first.start_s, 0);
  EXPECT_EQ(first.memory_bytes, std::nullopt);
  EXPECT_EQ(spot.join, 4u);
  EXPECT_EQ(spot.speed, 0.5);
  EXPECT_DOUBLE_EQ(spot.preemptions_per_s, 1.0 / 600);
  EXPECT_EQ(spot.restart_s, 20);
  EXPECT_EQ(spot.start_s, 60);
  EXPECT_EQ(spot.memory_bytes, 2u << 30);
  EXPECT_EQ(job.cluster.local(), 2u);
  EXPECT_EQ(read(nodes("{name: a, local: 1, price: 1/h, preempted: 1/h}"))
                .value()
                .cluster.nodes[0]
                .restart_s,
            10);
}

TEST(JobFile, ANodeTypeSaysWhatIsWrongWithIt) {
  constexpr const char* kFirst = "{name: a, local: 2, price: 1/h}";
  const auto second = [&](const char* keys) {
    return nodes(fmt::format("{}, {{{}}}", kFirst, keys));
  };
  expect_refused({
      {nodes(""),
       {"job.yaml:5: cluster.nodes: found an empty list, expected a list of node types"}},
      {good("cluster: {nodes: spot}"),
       {"cluster.nodes: found spot, expected a list of node types"}},
      {nodes("spot"), {"found spot", "expected a mapping"}},
      {nodes("{local: 1, price: 1/h}"), {"cluster.nodes.0.name: missing, write a name"}},
      {nodes("{name: a, local: 1}"), {"cluster.nodes.0.price: missing, write a price"}},
      {nodes("{name: a, local: 1, price: -1/h}"), {"cluster.nodes.0.price: found -1/h"}},
      {nodes("{name: a, local: 1, price: 1}"), {"cluster.nodes.0.price: found 1", "with a unit"}},
      {nodes("{name: a b, local: 1, price: 1/h}"), {"found a b", "it has a space"}},
      {nodes("{name: a, price: 1/h}"),
       {"job.yaml:5: cluster.nodes.0.local: found nothing, expected a whole number from 1",
        "no worker of this type"}},
      {nodes("{name: a, local: 1, price: 1/h, speed: 2}"), {"nodes.0.speed: found 2, expected 1"}},
      {nodes("{name: a, local: 1, price: 1/h, pric: 1/h}"), {"did you mean price?"}},
      {second("name: b, local: 1, price: 1/h, speed: 0"), {"cluster.nodes.1.speed: found 0"}},
      {second("name: b, local: 1, price: 1/h, preempted: 6"), {"nodes.1.preempted: found 6"}},
      {second("name: b, local: 1, price: 1/h, start: 5"), {"nodes.1.start: found 5"}},
      {second("name: b, local: 1, price: 1/h, memory: 0GiB"), {"nodes.1.memory: found 0GiB"}},
      {second("name: b, local: 1, price: 1/h, restart: 5s"),
       {"nodes.1.restart: found 5s, expected nothing without preempted"}},
      {second("name: a, local: 1, price: 1/h"),
       {"cluster.nodes.1.name: found a, expected a name that no other node type has"}},
  });
}

TEST(JobFile, AClusterIsOneTypeOrAListOfThem) {
  constexpr const char* kSpot = "{name: spot, local: 2, price: 1/h}";
  expect_refused({
      {nodes(kSpot, "  local: 2\n"),
       {"job.yaml:6: cluster.local: found 2, expected nothing beside cluster.nodes"}},
      {nodes(kSpot, "  price: 1/h\n"), {"cluster.price: found 1/h, expected nothing beside"}},
      {nodes(kSpot, "  workers_min: 3\n"), {"cluster.workers_min: found 3, expected at most 2"}},
  });
}

TEST(JobFile, DataSetsHaveDifferentNamesAndSources) {
  expect_refused({
      {data("[{source: \"libsvm://x\", name: one}, {source: \"libsvm://y\", name: one}]"),
       {"data.1.name: found one, expected a name other than validation that no other data"}},
      {data("[{source: \"libsvm://x\", name: validation}]"), {"data.0.name: found validation"}},
      {data("[{source: \"libsvm://x\", name: data-2}, \"libsvm://y\"]"), {"data.1.name"}},
      {data("[mnist.gz]"), {"data.0.source: found mnist.gz", "it has no scheme://"}},
      {data("my.csv"), {"data.0.source: found my.csv", "did you mean csv://my.csv?"}},
      {data("digits"), {"did you mean digits://?"}},
      {data("dir/a.svm.gz"), {"it has no scheme://; did you mean libsvm://dir/a.svm.gz?"}},
      {data("[{source: \"libsvm://x\", name: a/b}]"), {"data.0.name: found a/b", "it has a '/'"}},
      {data("[{source: \"libsvm://x\", price: -1}]"), {"data.0.price: found -1"}},
      {data("{root: \"a?b\", sets: [\"libsvm://x\"]}"),
       {"data.root: found a?b", "without ? and &"}},
  });
}

TEST(JobFile, WhatIsNoMappingIsNoJob) {
  EXPECT_THAT(refusal("[1, 2]"), HasSubstr("found [1, 2], expected a job: a mapping"));
  EXPECT_THAT(refusal("{a: 1, a: 2}"), HasSubstr("found twice in one mapping"));
  EXPECT_THAT(refusal(good("train: *x")), HasSubstr("job.yaml:4"));
  EXPECT_THAT(refusal(std::string(2u << 20, '#')), HasSubstr("found 2097152 bytes"));
}

TEST(JobFile, EveryDefaultIsFilledIn) {
  const Job job = read(kGood, {}, "jobs/mnist.yaml").value();
  EXPECT_EQ(job.name, "mnist");
  EXPECT_EQ(job.promise.metric, plan::Metric::kValidationLoss);
  EXPECT_EQ(job.promise.probability, 0.95);
  EXPECT_EQ(job.promise.confidence, 0.9);
  EXPECT_EQ(job.promise.deadline_s, 1200);
  EXPECT_FALSE(job.promise.budget.has_value());
  ASSERT_EQ(job.data.size(), 1u);
  EXPECT_EQ(job.data[0].name, "data-1");
  EXPECT_EQ(job.data[0].source, "digits://?samples=8000");
  EXPECT_EQ(job.validation, std::nullopt);
  EXPECT_THAT(job.model.versions, ElementsAre("full"));
  EXPECT_EQ(job.train.solver, Solver::kLocalSgd);
  EXPECT_EQ(job.train.chunk_bytes, 1u << 20);
  EXPECT_EQ(job.profile.seeds, 14u);  // 0.95^14 < 1/2 < 0.95^13.
  EXPECT_TRUE(job.profile.workers.empty());
  EXPECT_EQ(job.cluster.nodes.front().local, 1u);
  EXPECT_EQ(job.cluster.listen, std::nullopt);
  EXPECT_DOUBLE_EQ(job.cluster.nodes.front().price_per_s, 1.0 / 3600);
  EXPECT_EQ(read(model("zoo: svm")).value().train.solver, Solver::kCocoa);
  EXPECT_EQ(read(good("cluster: {listen: \"0.0.0.0:7\"}")).value().cluster.local(), 0u);
}

TEST(JobFile, FullComesFirstAndVersionsHaveOneSpelling) {
  const Job job = read(model("zoo: lenet5, versions: [prune:0.50, full]")).value();
  EXPECT_THAT(job.model.versions, ElementsAre("full", "prune:0.5"));
}

}  // namespace job_file_test
}  // namespace surety::job
