#include "job/job_aspects.h"

#include <gtest/gtest.h>

#include <set>

#include "job/job_file.h"
#include "test/support/job/job_schema.h"

namespace surety::job {
namespace job_aspects_test {

constexpr const char* kNetwork =
    "promise: {target: 0.5, deadline: 20min}\n"
    "data: \"digits://?samples=8000\"\n"
    "model: {zoo: lenet5}\n";
constexpr const char* kLinear =
    "promise: {metric: duality_gap, target: 0.5, deadline: 20min}\n"
    "data: \"synthetic://?samples=8000\"\n"
    "model: {zoo: logistic}\n";

using Values = std::map<std::string, std::string>;

Values aspects(const char* text, const std::vector<std::string>& sets = {}) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) overrides.push_back(parse_override(set).value());
  const Result<Job> job = parse_job("job.yaml", text, overrides, 0);
  EXPECT_TRUE(job) << job.error().message;
  data::SourceInfo source;
  source.name = job->data.front().name;
  source.url = job->data.front().source;
  source.samples = 8000;
  source.schema.features = 784;
  source.schema.classes = 10;
  source.content = 0xabc;
  source.price = job->data.front().price;
  return aspects_of(*job, {source}, std::nullopt).aspects;
}

TEST(JobAspects, SayWhatTheDataHolds) {
  const Values values = aspects(kNetwork);
  EXPECT_EQ(values.at("data.data-1.source"), "digits://?samples=8000");
  EXPECT_EQ(values.at("data.data-1.samples"), "8000");
  EXPECT_EQ(values.at("data.data-1.features"), "784");
  EXPECT_EQ(values.at("data.data-1.classes"), "10");
  EXPECT_EQ(values.at("data.data-1.content"), "0000000000000abc");
}

TEST(JobAspects, WhereAFolderLiesIsNoAspect) {
  const auto source = [](const char* url) {
    return aspects(kNetwork, {std::string("data=") + url}).at("data.data-1.source");
  };
  EXPECT_EQ(source("idx:///a/b/images.gz?labels=/a/c/labels.gz"),
            "idx://images.gz?labels=labels.gz");
  EXPECT_EQ(source("csv:///a/t.csv?label=y"), source("csv:///b/t.csv?label=y"));
  EXPECT_EQ(source("csv:///a/date=1/t.csv?label=y"), source("csv:///b/t.csv?label=y"));
  EXPECT_NE(source("csv:///a/t.csv?label=y"), source("csv:///a/t.csv?label=z"));
}

// A key that is missing here would let a profile of another training pass the check.
TEST(JobAspects, EveryKeyOfTrainButTheSeedIsOneWhereItHasAnEffect) {
  std::set<std::string> keys;
  for (const Values& values : {aspects(kNetwork, {"train.mode=batch"}),
                               aspects(kNetwork, {"train.mode=bounded"}), aspects(kLinear)}) {
    for (const auto& [key, value] : values) keys.insert(key);
  }
  for (const KeyInfo& info : job_schema()) {
    if (!info.key.starts_with("train.") && !info.key.starts_with("model.")) continue;
    const bool is_free = info.key == "train.seed" || info.key == "train.policies";
    EXPECT_EQ(keys.contains(info.key), !is_free) << info.key;
  }
}

// A plan does not depend on the behaviour of a run after a refusal of the promise.
TEST(JobAspects, EveryKeyOfThePromiseIsOneButBestEffort) {
  const Values values = aspects(kNetwork, {"promise.budget=5"});
  for (const KeyInfo& info : job_schema()) {
    if (!info.key.starts_with("promise.")) continue;
    EXPECT_EQ(values.contains(info.key), info.key != "promise.best_effort") << info.key;
  }
}

TEST(JobAspects, AChangedValueIsAChangedAspect) {
  const struct {
    const char* set;
    const char* key;
    const char* value;
  } kCases[] = {
      {"train.learning_rate=0.02", "train.learning_rate", "0.02"},
      {"train.momentum=0.5", "train.momentum", "0.5"},
      {"train.average=off", "train.average", "off"},
      {"train.average=0.5", "train.average", "0.5"},
      {"train.local_steps=3", "train.local_steps", "3"},
      {"train.on_resize=scale_rate", "train.on_resize", "scale_rate"},
      {"train.mode=async", "train.mode", "async"},
      {"train.policies.shuffle=on", "train.policies.shuffle", "on"},
      {"model.versions=[full, 'prune:0.5']", "model.versions", "full, prune:0.5"},
      {"promise.deadline=5min", "promise.deadline", "300s"},
      {"promise.deadline=2026-03-01T18:00:00Z", "promise.deadline", "2026-03-01T18:00:00Z"},
      {"promise.probability=0.8", "promise.probability", "0.8"},
      {"cluster.local=3", "cluster.nodes.local.local", "3"},
      {"cluster.price=7/h", "cluster.nodes.local.price", "7/h"},
  };
  const Values usual = aspects(kNetwork);
  for (const auto& [set, key, value] : kCases) {
    EXPECT_NE(usual.at(key), value) << set;
    EXPECT_EQ(aspects(kNetwork, {set}).at(key), value) << set;
  }
}

}  // namespace job_aspects_test
}  // namespace surety::job
