// Tests of `surety plan` as users call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "base/base64.h"
#include "base/crypto/digest.h"
#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "base/posix/utc.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace plan_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PlanCommand, DrawsThePlanOfAProfileAndOverwritesNothingElse) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished measured = runs.surety({"profile", job, "--out", runs.path("p")});
  ASSERT_EQ(measured.code, kKept) << measured.output;
  const std::string profile = runs.path("p") + "/profile";
  const std::string page = runs.path("plan.html");

  const Finished planned = runs.surety({"plan", job, "--profile", profile, "--plot", page});
  EXPECT_TRUE(planned.code == kKept || planned.code == kInfeasible) << planned.output;
  EXPECT_THAT(planned.output, HasSubstr("Promise "));
  // Without --out the plan is only printed, and the output says how to keep it.
  EXPECT_EQ(planned.output.find("repeat this with  --out DIR") != std::string::npos,
            planned.code == kKept);
  const auto html = posix::read_file(page);
  ASSERT_TRUE(html) << html.error().message;
  EXPECT_THAT(*html, HasSubstr("</html>"));

  std::ofstream(runs.path("thesis.txt")) << "years of work";
  const Finished refused =
      runs.surety({"plan", job, "--profile", profile, "--plot", runs.path("thesis.txt")});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(refused.output, HasSubstr("it is not overwritten"));
  EXPECT_EQ(posix::read_file(runs.path("thesis.txt")).value_or(""), "years of work");
}

// Such a run profiles first. The planner works beside the thread that decides.
TEST(PlanCommand, ARunThatMayDropDataIsStoppedWhileItPlansAndResumed) {
  Runs runs;
  std::ofstream(runs.path("drop.yaml"))
      << R"(promise: {metric: accuracy, target: 0.6, probability: 0.5, deadline: 20min, budget: 5}
data:
  - {name: a, source: "synthetic://?samples=2000&features=20&seed=1"}
  - {name: b, source: "synthetic://?samples=2000&features=20&seed=1&first=2000"}
model: {zoo: logistic}
profile: {data_fractions: [1, 0.5], seeds: 2, passes: 4}
cluster: {local: 2}
)";
  posix::Process run =
      runs.start({"run", runs.path("drop.yaml"), "--out", runs.path("run")}, "log");
  ASSERT_TRUE(runs.wait_for(
      "the plan",
      [](const Records& records) {
        return std::ranges::any_of(records, [](const proto::JournalRecord& record) {
          return record.phase_began().phase() == "plan";
        });
      },
      &run))
      << runs.output("log");
  run.send_signal(SIGINT);
  const auto status = run.wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  // On some machines the run has ended by then.
  EXPECT_TRUE(status->code == kInterrupted || status->code == kKept) << runs.output("log");
  const Finished resumed = runs.surety({"run", "--resume", "--out", runs.path("run")});
  EXPECT_EQ(resumed.code, kKept) << resumed.output;
  EXPECT_TRUE(has_ended(runs.journal("run")));
  // The workers were paid while the planner was at work.
  const Finished verified = runs.surety({"verify", runs.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
}

TEST(PlanCommand, AChangedProfileIsFoundByVerify) {
  Runs runs;
  ASSERT_EQ(runs.surety({"profile", runs.glm_job(), "--out", runs.path("p")}).code, kKept);
  const Finished verified = runs.surety({"verify", runs.path("p")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("ok    profile matches the journal: 6 files"));
  const std::string curves = runs.path("p/profile/curves.csv");
  std::ofstream(curves, std::ios::app) << "full,9,1,1,0.1,0.01,1,0.1,1\n";
  const Finished changed = runs.surety({"verify", runs.path("p")});
  EXPECT_EQ(changed.code, kFailed);
  EXPECT_THAT(changed.output,
              HasSubstr("FAIL  profile matches the journal: curves.csv: it differs"));
  std::filesystem::remove(curves);
  EXPECT_EQ(runs.surety({"verify", runs.path("p")}).code, kFailed);
}

// With another made_for, a profile or a plan would be used for a job that it was not made for.
TEST(PlanCommand, AChangedMadeForIsFoundByVerify) {
  Runs runs;
  ASSERT_EQ(runs.surety({"profile", runs.glm_job(), "--out", runs.path("p")}).code, kKept);
  const auto change = [](const std::string& path) {
    std::string text = posix::read_file(path).value();
    const std::size_t at = text.find("\"train.lambda\": \"0.0001\"");
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(text.find("0.0001", at), 6, "0.0002");
    std::ofstream(path) << text;
  };
  change(runs.path("p/profile/made_for.json"));
  const Finished profile = runs.surety({"verify", runs.path("p")});
  EXPECT_EQ(profile.code, kFailed);
  EXPECT_THAT(profile.output, HasSubstr("FAIL  profile matches the journal: made_for.json: it"));

  ASSERT_EQ(
      runs.surety({"train", runs.glm_job(), "--set", "train.passes_max=2", "--out", runs.path("t")})
          .code,
      kMissed);
  EXPECT_EQ(runs.surety({"verify", runs.path("t")}).code, kKept);
  change(runs.path("t/plan.json"));
  const Finished trained = runs.surety({"verify", runs.path("t")});
  EXPECT_EQ(trained.code, kFailed);
  EXPECT_THAT(trained.output, HasSubstr("FAIL  plan.json matches the journal: it differs"));
}

TEST(PlanCommand, AProfileOfAnotherJobIsRefused) {
  Runs runs;
  const std::string job = runs.glm_job();
  const std::string profile = runs.path("p") + "/profile";
  ASSERT_EQ(runs.surety({"profile", job, "--out", runs.path("p")}).code, kKept);
  const auto planned_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plan", job, "--profile", profile});
    return runs.surety(more);
  };
  // The promise and the prices may change without a new profile.
  const Finished same =
      planned_with({"--set", "promise.deadline=9min", "--set", "cluster.price=3/h"});
  EXPECT_TRUE(same.code == kKept || same.code == kInfeasible) << same.output;

  const Finished trained = planned_with({"--set", "train.lambda=0.01"});
  EXPECT_EQ(trained.code, kUsage);
  EXPECT_THAT(trained.output, HasSubstr("train.lambda: found 0.0001, expected 0.01\n"));
  EXPECT_THAT(trained.output, HasSubstr("surety profile"));

  std::ofstream(runs.path("rows.svm"), std::ios::app) << "+1 1:0.5\n";
  const Finished grown = planned_with({});
  EXPECT_EQ(grown.code, kUsage);
  EXPECT_THAT(grown.output, HasSubstr("data.data-1.samples: found 3000, expected 3001\n"));

  std::filesystem::remove(profile + "/made_for.json");
  const Finished older = planned_with({});
  EXPECT_EQ(older.code, kUsage);
  EXPECT_THAT(older.output, HasSubstr("measure again"));
}

TEST(PlanCommand, TheNewestProfileOfTheJobAsItIsIsFound) {
  Runs runs;
  const std::string job = runs.glm_job();
  const auto measure = [&](const std::string& name, const std::string& set) {
    return runs.surety({"profile", job, "--out", runs.path("runs/" + name), "--set", set}).code;
  };
  ASSERT_EQ(measure("glm-1", "train.lambda=1e-4"), kKept);
  ASSERT_EQ(measure("glm-2", "train.lambda=1e-3"), kKept);
  const Finished planned = runs.surety_in(runs.path(""), {"plan", job});
  EXPECT_TRUE(planned.code == kKept || planned.code == kInfeasible) << planned.output;
  const Finished other = runs.surety_in(runs.path(""), {"plan", job, "--set", "train.lambda=1e-2"});
  EXPECT_EQ(other.code, kUsage);
  EXPECT_THAT(other.output, HasSubstr("train.lambda: found 0.001, expected 0.01"));
}

// A fixed schedule of one pass for the unchanged job.
plan::Plan one_pass() {
  plan::Plan plan;
  plan.data = {"data-1"};
  plan.blocks = {{.version = "full", .passes = 1}};
  plan.stop_metric = 1;
  return plan;
}

// The time that is left counts from one moment, in the certificate and when the journal is read.
TEST(TrainCommand, ADeadlineAsAPointInTimeVerifies) {
  Runs runs;
  const std::string deadline = "promise.deadline=" + posix::utc(posix::unix_seconds() + 600);
  runs.surety({"train", runs.glm_job(), "--out", runs.path("run"), "--set", "train.passes_max=3",
               "--set", deadline});
  const Finished verified = runs.surety({"verify", runs.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
}

// A script whose variable is unset must not train without its plan.
TEST(TrainCommand, AnEmptyNameOfAPlanIsRefused) {
  Runs runs;
  const Finished refused = runs.surety({"train", runs.glm_job(), "--plan", ""});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(refused.output, HasSubstr("is a variable unset?"));
}

TEST(TrainCommand, APlanForAnotherPromiseIsRefused) {
  Runs runs;
  const std::string job = runs.glm_job();
  const std::string plan = runs.plan_file(one_pass(), job, {});
  const auto train = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", job, "--plan", plan, "--out", runs.path("run")});
    return runs.surety(more);
  };
  for (const auto& [set, line] : {
           std::pair{"promise.deadline=40s", "promise.deadline: found 300s, expected 40s\n"},
           std::pair{"promise.probability=0.99", "promise.probability: found 0.7, expected 0.99\n"},
           std::pair{"model.zoo=svm", "model.zoo: found logistic, expected svm\n"},
       }) {
    const Finished refused = train({"--set", set});
    EXPECT_EQ(refused.code, kUsage) << set;
    EXPECT_THAT(refused.output, HasSubstr(line));
    EXPECT_FALSE(std::filesystem::exists(runs.path("run"))) << set;
  }
  EXPECT_EQ(train({"--set", "promise.target=0.9"}).code, kUsage);
  const Finished kept = train({});
  EXPECT_TRUE(kept.code == kKept || kept.code == kMissed) << kept.output;
}

// A plan that was made, carried out and verified, for data that have a price. The promise is an
// easy one, which a plan keeps on a busy machine, too.
class CarriedOut {
 public:
  explicit CarriedOut(const std::vector<std::string>& planner = {}) {
    EXPECT_EQ(surety({"profile", job_, "--out", runs_.path("p")}).code, kKept);
    std::vector<std::string> plan{
        "plan", job_, "--profile", runs_.path("p") + "/profile", "--out", runs_.path("p")};
    plan.insert(plan.end(), planner.begin(), planner.end());
    const Finished planned = surety(plan);
    EXPECT_EQ(planned.code, kKept) << planned.output;
    EXPECT_THAT(
        planned.output,
        HasSubstr("next:  surety train " + job_ +
                  " --set promise.target=0.1 --set promise.deadline=60min --set data.0.price=0.5 "
                  "--plan " +
                  file_));
    const Finished trained = train("run");
    EXPECT_TRUE(trained.code == kKept || trained.code == kMissed) << trained.output;
    const Finished verified = runs_.surety({"verify", runs_.path("run")});
    EXPECT_EQ(verified.code, kKept) << verified.output;
    EXPECT_THAT(verified.output, HasSubstr("ok    the plan's claims follow from its laws"));
    EXPECT_THAT(verified.output, HasSubstr("were confirmed"));
    whole_ = nlohmann::ordered_json::parse(posix::read_file(file_).value_or(""), nullptr, false);
  }

  // The plan is changed and given to a new run. Returns why that is refused.
  std::string refusal_after(const std::function<void(nlohmann::ordered_json&)>& change) {
    nlohmann::ordered_json changed = whole_;
    change(changed["plan"]);
    // Whoever changes a plan on purpose also computes its checksum again.
    changed.erase("checksum");
    const std::string text = changed.dump();
    changed["checksum"] = base64_encode(crypto::sha256(std::as_bytes(std::span(text))));
    std::ofstream(file_) << changed.dump();
    const Finished refused = train("changed");
    EXPECT_EQ(refused.code, kUsage) << refused.output;
    EXPECT_FALSE(std::filesystem::exists(runs_.path("changed")));
    return refused.output;
  }

 private:
  Finished surety(std::vector<std::string> arguments) {
    for (const char* set : {"promise.target=0.1", "promise.deadline=60min", "data.0.price=0.5"}) {
      arguments.insert(arguments.end(), {"--set", set});
    }
    return runs_.surety(std::move(arguments));
  }
  Finished train(const std::string& folder) {
    return surety({"train", job_, "--plan", file_, "--out", runs_.path(folder)});
  }

  Runs runs_;
  std::string job_ = runs_.glm_job();
  std::string file_ = runs_.path("p") + "/plan.json";
  nlohmann::ordered_json whole_;
};

// The certificate would carry what a changed plan claims.
TEST(TrainCommand, APlanWhoseClaimsWereChangedIsRefused) {
  CarriedOut plan;
  EXPECT_THAT(plan.refusal_after([](nlohmann::ordered_json& changed) {
    nlohmann::ordered_json& cost = changed["claims"]["cost_mean"];
    cost = 0.5 * cost.get<double>();
  }),
              HasSubstr("do not follow from its own laws: cost_mean: "));
}

// A fixed schedule carries the laws from which its claims follow.
TEST(TrainCommand, AFixedScheduleWhoseClaimsWereChangedIsRefused) {
  CarriedOut schedule({"--planner", "open-loop"});
  EXPECT_THAT(schedule.refusal_after([](nlohmann::ordered_json& plan) {
    nlohmann::ordered_json& claims = plan["claims"];
    claims["probability"] = 0.75;
    claims["probability_lower"] = claims["support"]["percentile"] = 0.7;
  }),
              HasSubstr("do not follow from its own laws: probability: 0.75"));
  EXPECT_THAT(schedule.refusal_after([](nlohmann::ordered_json& plan) {
    nlohmann::ordered_json& seconds = plan["claims"]["seconds_95"];
    seconds = 0.5 * seconds.get<double>();
  }),
              HasSubstr("do not follow from its own laws: seconds_95: "));
  EXPECT_THAT(
      schedule.refusal_after([](nlohmann::ordered_json& plan) { plan["claims"] = nullptr; }),
      HasSubstr("plan.json: plan.claims: found null, expected an object: only a plan that "
                "was written by hand"));
  EXPECT_THAT(
      schedule.refusal_after([](nlohmann::ordered_json& plan) { plan["planner"] = "by-hand"; }),
      HasSubstr("plan.json: plan.claims: found an object, expected null: a plan by hand makes no "
                "claims"));
  EXPECT_THAT(
      schedule.refusal_after([](nlohmann::ordered_json& plan) { plan["claims"].erase("setting"); }),
      HasSubstr("plan.json: plan.claims.setting: is missing"));
}

TEST(TrainCommand, ARunByHandIsNotSaidToBeConfirmed) {
  Runs runs;
  const std::string job = runs.glm_job();
  const Finished trained = runs.surety(
      {"train", job, "--plan", runs.plan_file(one_pass(), job, {}), "--out", runs.path("run")});
  EXPECT_TRUE(trained.code == kKept || trained.code == kMissed) << trained.output;
  const Finished verified = runs.surety({"verify", runs.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("ok    the job can carry out the plan: it was set by hand "
                                         "and makes no claims"));
  EXPECT_THAT(verified.output, Not(HasSubstr("confirmed")));
}

TEST(TrainCommand, APlanThatCannotBeExecutedIsRefusedBeforeAnythingStarts) {
  Runs runs;
  const std::string job = runs.glm_job();
  const auto output_with = [&](const std::function<void(plan::Plan&)>& change) {
    plan::Plan plan = one_pass();
    change(plan);
    const Finished refused = runs.surety(
        {"train", job, "--plan", runs.plan_file(plan, job, {}), "--out", runs.path("run")});
    EXPECT_EQ(refused.code, kUsage);
    EXPECT_FALSE(std::filesystem::exists(runs.path("run")));
    return refused.output;
  };
  EXPECT_THAT(output_with([](plan::Plan& p) { p.data = {"nowhere"}; }),
              HasSubstr("plan.json: plan.data[0]: found nowhere, expected one of the job's data "
                        "sets: data-1"));
  EXPECT_THAT(output_with([](plan::Plan& p) { p.stop_metric = 1e308; }),
              HasSubstr("plan.json: plan.stop_metric: found 1e+308, expected"));
  EXPECT_THAT(output_with([](plan::Plan& p) { p.blocks[0].passes = 0; }),
              HasSubstr("plan.json: plan.blocks[0].passes: found 0, expected at least 1"));
}

TEST(PlanCommand, PageInAFolderThatIsMissingIsRefusedBeforeAnyWork) {
  Runs runs;
  const Finished run =
      runs.surety({"plan", runs.glm_job(), "--plot", runs.path("nowhere") + "/plan.html"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.output, HasSubstr("nowhere does not exist"));
}

TEST(PlanCommand, PlannerThatIsNotThereIsRefusedWithTheListOfThem) {
  Runs runs;
  for (const std::string given : {"sideways", "by-hand"}) {
    const Finished run = runs.surety({"plan", runs.glm_job(), "--planner", given});
    EXPECT_EQ(run.code, kUsage) << run.output;
    for (const char* name : {"closed-loop", "open-loop", "mean"}) {
      EXPECT_THAT(run.output, HasSubstr(name));
    }
  }
}

}  // namespace plan_posix_test
}  // namespace surety::cli
