// --set, the paths that it accepts, and that a job's text gives the same job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/job_file.h"

namespace surety::job {
namespace job_set_test {

using testing::HasSubstr;

constexpr double kNow = 1'772'388'000;  // 2026-03-01T18:00:00Z

Result<Job> read(std::string_view file, std::string_view text,
                 const std::vector<std::string>& sets = {}) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) {
    SURETY_TRY(Override parsed, parse_override(set));
    overrides.push_back(std::move(parsed));
  }
  return parse_job(file, text, overrides, kNow);
}

std::string job_with_data(std::string_view data) {
  return fmt::format(
      "promise: {{target: 0.5, deadline: 20min}}\nmodel: {{zoo: lenet5}}\nvalidation: "
      "\"idx://v.gz?labels=vl.gz\"\ndata: {}\n",
      data);
}

std::string source(std::string_view file, std::string_view data,
                   const std::vector<std::string>& sets = {}) {
  const Result<Job> job = read(file, job_with_data(data), sets);
  return job ? job->data[0].source : job.error().message;
}

constexpr const char* kPair = "idx://i.gz?labels=l.gz";

TEST(JobSet, DataIsASourceAListOrAMapping) {
  EXPECT_EQ(source("job.yaml", "\"digits://?samples=8\""), "digits://?samples=8");
  EXPECT_EQ(source("job.yaml", "[\"digits://?samples=8\"]"), "digits://?samples=8");
  EXPECT_EQ(source("job.yaml", "[{source: \"digits://?samples=8\"}]"), "digits://?samples=8");
  EXPECT_EQ(source("job.yaml", "{sets: \"digits://?samples=8\"}"), "digits://?samples=8");
  EXPECT_EQ(source("job.yaml", "{sets: [{source: \"digits://?samples=8\"}]}"),
            "digits://?samples=8");
}

TEST(JobSet, RelativePathsAreOfTheFilesFolderUntilARootSaysOtherwise) {
  EXPECT_EQ(source("job.yaml", kPair), kPair);
  EXPECT_EQ(source("/jobs/job.yaml", kPair), "idx:///jobs/i.gz?labels=/jobs/l.gz");
  EXPECT_EQ(source("/jobs/job.yaml", "csv://t.csv?label=y"), "csv:///jobs/t.csv?label=y");
  EXPECT_EQ(source("jobs/job.yaml", "{root: d, sets: [\"libsvm://x\"]}"), "libsvm://jobs/d/x");
  EXPECT_EQ(source("jobs/job.yaml", "{root: /d, sets: [\"libsvm://x\"]}"), "libsvm:///d/x");
  EXPECT_EQ(source("jobs/job.yaml", "{root: $PWD, sets: [\"libsvm://x\"]}"), "libsvm://x");
  EXPECT_EQ(source("jobs/job.yaml", "{root: $PWD/d, sets: [\"libsvm://x\"]}"), "libsvm://d/x");
  EXPECT_EQ(source("jobs/job.yaml", "\"idx:///abs?labels=/l\""), "idx:///abs?labels=/l");
  EXPECT_EQ(source("jobs/job.yaml", "\"digits://?samples=8\""), "digits://?samples=8");
}

TEST(JobSet, ASuggestedRelativePathSaysWhereItStarts) {
  EXPECT_THAT(source("jobs/job.yaml", "my/train.csv"),
              HasSubstr("did you mean csv://my/train.csv? Such a path starts from the folder of "
                        "the job file, or from data.root"));
  EXPECT_EQ(source("jobs/job.yaml", "/my/train.csv").find("starts from"), std::string::npos);
}

TEST(JobSet, DataRootIsOfTheWorkingFolderInEveryFormOfData) {
  for (const char* data :
       {"\"libsvm://x\"", "[\"libsvm://x\"]", "{root: other, sets: [\"libsvm://x\"]}"}) {
    EXPECT_EQ(source("jobs/job.yaml", data, {"data.root=here"}), "libsvm://here/x");
  }
  const Job job = read("jobs/job.yaml", job_with_data("\"libsvm://x\""), {"data.root=/d"}).value();
  EXPECT_EQ(job.validation, "idx:///d/v.gz?labels=/d/vl.gz");
}

TEST(JobSet, OverridesWinAndReachIntoLists) {
  const Job job =
      read("job.yaml", job_with_data("[\"libsvm://x\", {source: \"libsvm://y\", site: edge}]"),
           {"promise.target=0.25", "data.1.source=libsvm://z", "data.2.source=libsvm://w",
            "model.versions=[full, \"prune:0.5\"]", "cluster.local=4", "name=other",
            "model.versions.1=prune:0.25", "promise.target=0.75"})
          .value();
  EXPECT_EQ(job.promise.target, 0.75);
  EXPECT_EQ(job.data.at(1).source, "libsvm://z");
  EXPECT_EQ(job.data.at(1).site, "edge");
  EXPECT_EQ(job.data.at(2).source, "libsvm://w");
  EXPECT_EQ(job.model.versions.at(1), "prune:0.25");
  EXPECT_EQ(job.cluster.nodes.front().local, 4u);
  EXPECT_EQ(job.name, "other");
}

TEST(JobSet, ErrorsNameTheSetInsteadOfALine) {
  const auto refusal_of = [](const std::string& set) {
    const auto job = read("job.yaml", job_with_data("[\"libsvm://x\"]"), {set});
    return job ? "accepted" : job.error().message;
  };
  EXPECT_THAT(refusal_of("promise.probability=0.9999999999999999"),
              HasSubstr("no finite profile can support more than 0.999999"));
  EXPECT_EQ(refusal_of("promise.probability=1"),
            "--set promise.probability: found 1, expected a number between 0 and 1 (both "
            "excluded): no finite profile can support certainty; try 0.95");
  EXPECT_THAT(refusal_of("promise.probabilty=0.5"), HasSubstr("did you mean probability?"));
  EXPECT_THAT(refusal_of("data.3.source=a://b"), HasSubstr("expected an index from 0 to 1"));
  EXPECT_THAT(refusal_of("data.x=1"), HasSubstr("--set data.x: unknown key"));
  EXPECT_THAT(refusal_of("train.batch"), HasSubstr("--set train.batch: expected key=value"));
  EXPECT_THAT(refusal_of("=3"), HasSubstr("expected key=value"));
  EXPECT_THAT(refusal_of("train=[1"), HasSubstr("--set train"));
}

TEST(JobSet, OverridesReachIntoNodeTypes) {
  const std::string text =
      job_with_data("\"libsvm://x\"") + "cluster: {nodes: [{name: spot, local: 2, price: 1/h}]}\n";
  const Job job =
      read("job.yaml", text,
           {"cluster.nodes.0.local=3", "cluster.nodes.1={name: b, join: 1, price: 2/h, speed: 2}"})
          .value();
  ASSERT_EQ(job.cluster.nodes.size(), 2u);
  EXPECT_EQ(job.cluster.nodes[0].local, 3u);
  EXPECT_EQ(job.cluster.nodes[1].speed, 2);
  const auto both = read("job.yaml", text, {"cluster.local=3"});
  EXPECT_THAT(both.error().message, HasSubstr("--set cluster.local: found 3, expected nothing"));
}

// Compares everything in a job except its origin.
void expect_same(const Job& a, const Job& b) {
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.promise.target, b.promise.target);
  EXPECT_EQ(a.promise.deadline_s, b.promise.deadline_s);
  EXPECT_EQ(a.deadline_unix_s, b.deadline_unix_s);
  ASSERT_EQ(a.data.size(), b.data.size());
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    EXPECT_EQ(a.data[i].name, b.data[i].name);
    EXPECT_EQ(a.data[i].source, b.data[i].source);
    EXPECT_EQ(a.data[i].site, b.data[i].site);
    EXPECT_EQ(a.data[i].price, b.data[i].price);
  }
  EXPECT_EQ(a.validation, b.validation);
  EXPECT_EQ(a.model.versions, b.model.versions);
  EXPECT_EQ(a.train.seed, b.train.seed);
  EXPECT_EQ(a.profile.workers, b.profile.workers);
  EXPECT_EQ(a.profile.data_fractions, b.profile.data_fractions);
  ASSERT_EQ(a.cluster.nodes.size(), b.cluster.nodes.size());
  for (std::size_t i = 0; i < a.cluster.nodes.size(); ++i) {
    EXPECT_EQ(a.cluster.nodes[i].name, b.cluster.nodes[i].name);
    EXPECT_EQ(a.cluster.nodes[i].local, b.cluster.nodes[i].local);
    EXPECT_EQ(a.cluster.nodes[i].price_per_s, b.cluster.nodes[i].price_per_s);
  }
}

TEST(JobSet, AJobsTextReadFromAnywhereIsTheSameJob) {
  const std::string text =
      job_with_data("[\"libsvm://x\", {source: \"idx://y?labels=l\", price: 0.1}]") +
      "train: {seed: 18446744073709551615}\n"
      "profile: {data_fractions: [1, 0.1], workers: [4, 1]}\n";
  const std::vector<std::vector<std::string>> sets{
      {"cluster.local=4"},
      {"cluster.local=4", "data.root=relative", "cluster.price=0.36/h"},
      {"cluster.local=4", "data.root=/absolute", "promise.deadline=2026-03-02T00:00:00Z"},
      {"cluster.local=4", "data.0.site='a: - b'", "name='#1: - x'"}};
  for (const char* file : {"job.yaml", "jobs/job.yaml", "/jobs/job.yaml", "../job.yaml"}) {
    for (const auto& set : sets) {
      const Result<Job> job = read(file, text, set);
      ASSERT_TRUE(job.has_value()) << job.error().message;
      for (const char* again : {file, "/elsewhere/x.yaml"}) {
        const Result<Job> same = read(again, job->text);
        ASSERT_TRUE(same.has_value()) << same.error().message << "\n" << job->text;
        expect_same(*job, *same);
      }
    }
  }
}

}  // namespace job_set_test
}  // namespace surety::job
