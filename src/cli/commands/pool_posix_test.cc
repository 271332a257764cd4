// A pool of attempts, in whole runs with real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <set>

#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"

namespace surety::cli {
namespace pool_posix_test {

// The learning rates that the attempts in the journal began with.
std::map<std::uint32_t, double> rates_of(const Records& records) {
  std::map<std::uint32_t, double> rates;
  for (const auto& record : records) {
    if (record.has_attempt_began()) {
      rates[record.attempt_began().attempt()] = record.attempt_began().learning_rate();
    }
  }
  return rates;
}

TEST(Pool, ARunWithSeveralLearningRatesThatIsKilledGoesOnWithTheRateOfEachAttempt) {
  Runs runs;
  runs.in_time(4000, [&](int samples) {
    std::ofstream(runs.path("job.yaml")) << fmt::format(
        "name: rates\npromise: {{target: 0.35, probability: 0.99, deadline: 20min}}\n"
        "data: \"digits://?samples={}\"\n"
        "validation: \"digits://?samples=4000&first=100000\"\n"
        "model: {{zoo: mlp, versions: [full]}}\n"
        "train: {{learning_rate: auto, chunk_bytes: 64KiB, "
        "policies: {{rebalance: off, cut_off: off}}}}\n"
        "cluster: {{local: 2}}\nprofile: {{library: off}}\n",
        samples);
    posix::Process run =
        runs.start({"run", runs.path("job.yaml"), "--out", runs.path("run")}, "log");
    return runs.comes(run, "2 passes", [](const Records& r) { return passes(r) >= 2; }) &&
           runs.kill(run);
  });
  const Records killed = runs.journal("run");
  kill_and_wait(workers(killed));
  const Finished resumed = runs.surety({"run", "--resume", "--out", runs.path("run")});
  EXPECT_EQ(resumed.code, kKept) << resumed.output;
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
  const auto before = rates_of(killed);
  const auto after = rates_of(runs.journal("run"));
  ASSERT_FALSE(before.empty());
  for (const auto& [attempt, rate] : before) EXPECT_EQ(after.at(attempt), rate) << attempt;
  const std::set<double> known{0.01, 0.003, 0.03};
  for (const auto& [attempt, rate] : after) EXPECT_TRUE(known.contains(rate)) << rate;
}

std::string small_job(Runs& runs, const std::string& promise) {
  std::ofstream(runs.path("job.yaml")) << fmt::format(
      "name: small\npromise: {{{}}}\n"
      "data: \"digits://?samples=1500\"\n"
      "validation: \"digits://?samples=4000&first=100000\"\n"
      "model: {{zoo: mlp}}\ntrain: {{policies: {{rebalance: off, cut_off: off}}}}\n"
      "cluster: {{local: 2, price: 3600/h}}\nprofile: {{library: off}}\n",
      promise);
  return runs.path("job.yaml");
}

// Two workers cost 2 a second, so a budget of 0.01 pays for 5 ms. No machine makes a pass in this
// time.
TEST(Pool, ABudgetThatHoldsNoPassIsRefusedWithWhatItIsNotEnoughFor) {
  Runs runs;
  const std::string job = small_job(runs, "target: 0.3, deadline: 10min, budget: 0.01");
  const Finished run = runs.surety({"run", job, "--out", runs.path("run")});
  EXPECT_EQ(run.code, kInfeasible) << run.output;
  EXPECT_THAT(run.output, ::testing::HasSubstr("not a single pass can end"));
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

TEST(Pool, APausedRunIsCalledPausedAndAnEndedOneShowsTheModelThatIsKept) {
  Runs runs;
  const std::string job = small_job(runs, "target: 0.35, deadline: 30min, probability: 0.95");
  const Finished paused =
      runs.surety({"run", job, "--out", runs.path("run"), "--measure-only", "--json"});
  ASSERT_EQ(paused.code, kKept) << paused.output;
  // Otherwise the target was reached before the promise was stated.
  if (!has_ended(runs.journal("run"))) {
    EXPECT_THAT(paused.output, ::testing::HasSubstr("\"verdict\": \"paused\""));
    EXPECT_THAT(runs.surety({"status", runs.path("run")}).output, ::testing::HasSubstr("paused"));
    const Finished resumed = runs.surety({"run", "--resume", "--out", runs.path("run")});
    EXPECT_EQ(resumed.code, kKept) << resumed.output;
  }
  const Finished status = runs.surety({"status", runs.path("run")});
  EXPECT_THAT(status.output,
              ::testing::ContainsRegex("model     attempt [0-9]+, pass [0-9]+, full, "
                                       "validation loss .* on [0-9]+ certifying samples"));
  EXPECT_THAT(runs.surety({"status", runs.path("run"), "--json"}).output,
              ::testing::HasSubstr("\"kept\""));
}

}  // namespace pool_posix_test
}  // namespace surety::cli
