// The average of models, in whole runs with real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <optional>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "learn/network/network_file.h"
#include "runtime/files/model_files.h"

namespace surety::cli {
namespace average_posix_test {

// Settings for a network with one or more workers. There is no local momentum, because a new
// process starts it from zero, and nothing depends on the clock: the model is a function of the
// seed.
std::vector<std::string> network(int passes_max, const std::string& more = "",
                                 std::uint32_t workers = 1) {
  return {"data=\"digits://?samples=1500\"",
          "validation=\"digits://?samples=400&first=100000\"",
          "model={zoo: mlp, versions: [full]}",
          "promise.metric=validation_loss",
          fmt::format("train={{local_steps: 4, momentum: 0, learning_rate: 0.02, passes_max: {}, "
                      "chunk_bytes: 64KiB, policies: {{rebalance: off, cut_off: off}}{}}}",
                      passes_max, more),
          fmt::format("cluster.local={}", workers)};
}

// The checkpoint after the last pass.
proto::CheckpointCommitted last_checkpoint(const Records& records) {
  proto::CheckpointCommitted last;
  for (const auto& record : records) {
    if (record.has_checkpoint_committed()) last = record.checkpoint_committed();
  }
  return last;
}

double last_loss(const Records& records) {
  double loss = 0;
  for (const auto& record : records) {
    if (record.has_pass_done()) loss = record.pass_done().metric();
  }
  return loss;
}

learn::Model model_of(const proto::CheckpointCommitted& checkpoint) {
  const auto model =
      runtime::load_model(std::filesystem::path(checkpoint.folder()) / "model.safetensors");
  EXPECT_TRUE(model) << model.error().message;
  return model.value_or(learn::Model{});
}

// Reads the network that a run left.
learn::TrainedNetwork network_of(const std::string& run) {
  const std::string file = run + "/model.safetensors";
  const auto text = posix::read_file(file, 1 << 28);
  EXPECT_TRUE(text) << text.error().message;
  const auto network = learn::read_network(file, *text);
  EXPECT_TRUE(network) << network.error().message;
  return network.value_or(learn::TrainedNetwork{});
}

learn::Model certified_model(const Records& records) {
  proto::CheckpointCommitted checkpoint;
  for (const auto& record : records) {
    if (record.has_certified()) checkpoint.set_folder(record.certified().checkpoint());
  }
  return model_of(checkpoint);
}

TEST(Average, ARunThatIsKilledAndResumedEndsWithTheBytesOfAnUndisturbedOne) {
  Runs runs;
  int planned = 0;
  runs.in_time(16, [&](int passes_max) {
    planned = passes_max;
    posix::Process run = runs.start(runs.training(passes_max, network(passes_max)), "log");
    if (!runs.comes(run, "4 passes", [](const Records& r) { return passes(r) >= 4; })) {
      return false;
    }
    return runs.kill(run);
  });
  kill_and_wait(workers(runs.journal("run")));
  ASSERT_EQ(runs.surety({"train", "--resume", "--out", runs.path("run")}).code, kMissed);
  const Records resumed = runs.journal("run");
  Runs others;
  const Finished undisturbed = others.surety(others.training(planned, network(planned)));
  ASSERT_EQ(undisturbed.code, kMissed) << undisturbed.output;
  const Records straight = others.journal("run");
  const auto checkpoint = last_checkpoint(resumed);
  const auto expected = last_checkpoint(straight);
  EXPECT_EQ(static_cast<int>(checkpoint.pass()), planned);
  EXPECT_EQ(checkpoint.pass(), expected.pass());
  EXPECT_EQ(checkpoint.model_checksum(), expected.model_checksum());
  EXPECT_EQ(last_loss(resumed), last_loss(straight));
  const learn::Model model = model_of(checkpoint);
  EXPECT_EQ(model.average, model_of(expected).average);
  EXPECT_EQ(model.average.size(), model.parameters.size());
  EXPECT_NE(model.average, model.parameters);
  const Finished verified = runs.surety({"verify", runs.path("run")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
  EXPECT_THAT(verified.output,
              ::testing::HasSubstr("ok    the certified metric is measured again: found"));
  const learn::TrainedNetwork left = network_of(runs.path("run"));
  EXPECT_TRUE(left.averaged);
  EXPECT_EQ(left.parameters, certified_model(resumed).average);
}

// After the kill, the surviving worker gets the samples of the other one and takes all steps of an
// iteration one after the other. So the run learns from the same samples, and often makes more
// progress than two workers whose steps are averaged.
TEST(Average, WithAWorkerKilledItComesAsFarAsAnUndisturbedRun) {
  Runs runs;
  std::optional<posix::Process> run;
  int planned = 0;
  runs.in_time(12, [&](int passes_max) {
    planned = passes_max;
    run = runs.start(runs.training(passes_max, network(passes_max, "", 2)), "log");
    if (!runs.comes(*run, "2 passes", [](const Records& r) { return passes(r) >= 2; })) {
      return false;
    }
    ::kill(workers(runs.journal("run")).back(), SIGKILL);
    return runs.comes(*run, "a lost worker", [](const Records& r) {
      return std::ranges::any_of(r, [](const auto& record) { return record.has_worker_gone(); });
    });
  });
  const auto status = run->wait(posix::kTestPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, kMissed) << runs.output("log");
  Runs others;
  ASSERT_EQ(others.surety(others.training(planned, network(planned, "", 2))).code, kMissed);
  const double loss = last_loss(runs.journal("run"));
  const double expected = last_loss(others.journal("run"));
  const double chance = std::log(10.0);
  EXPECT_GT(chance - loss, 0.9 * (chance - expected));
  for (const auto& record : runs.journal("run")) {
    if (record.has_pass_done()) EXPECT_EQ(record.pass_done().samples(), 1500u);
  }
  EXPECT_EQ(runs.surety({"verify", runs.path("run")}).code, kKept);
}

TEST(Average, SwitchedOffTheLastModelIsEvaluatedAndKept) {
  Runs runs;
  const Finished off = runs.surety(runs.training(3, network(3, ", average: off")));
  ASSERT_EQ(off.code, kMissed) << off.output;
  EXPECT_TRUE(model_of(last_checkpoint(runs.journal("run"))).average.empty());
  const learn::TrainedNetwork left = network_of(runs.path("run"));
  EXPECT_FALSE(left.averaged);
  EXPECT_EQ(left.parameters, certified_model(runs.journal("run")).parameters);
  // The training is the same; only the reported metrics differ.
  Runs others;
  ASSERT_EQ(others.surety(others.training(3, network(3))).code, kMissed);
  EXPECT_EQ(model_of(last_checkpoint(runs.journal("run"))).parameters,
            model_of(last_checkpoint(others.journal("run"))).parameters);
  EXPECT_NE(last_loss(runs.journal("run")), last_loss(others.journal("run")));
}

TEST(Average, AsynchronousWorkersAverageTheModelsThatTheyHaveInCommon) {
  Runs runs;
  const Finished run = runs.surety(runs.training(4, network(4, ", mode: async, updates: 2", 2)));
  ASSERT_EQ(run.code, kMissed) << run.output;
  const learn::Model model = model_of(last_checkpoint(runs.journal("run")));
  EXPECT_EQ(model.average.size(), model.parameters.size());
  EXPECT_NE(model.average, model.parameters);
}

}  // namespace average_posix_test
}  // namespace surety::cli
