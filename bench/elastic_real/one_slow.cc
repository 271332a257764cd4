#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/posix/clock.h"
#include "command.h"
#include "ddp.h"
#include "measures.h"
#include "slow_process.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kWorkers = 8;
constexpr double kShare = 0.25;
constexpr double kTarget = 0.15;
constexpr double kLearningRate = 0.02;

struct Way {
  std::string name;
  std::string train;  // Settings of the train section, as YAML.
};

// If there is an average after every batch and all workers begin with the same momentum, training
// is exactly data-parallel SGD with momentum: averages of velocities are velocities of averages.
const Way kOurs{"ours", "local_steps: 16"};
const Way kSynchronous{"synchronous",
                       "local_steps: 1, policies: {rebalance: off, cut_off: off, shuffle: off}"};

std::string job_of(const Way& way, const std::filesystem::path& data, bool quick) {
  const std::string digits = quick ? "data: \"digits://?samples=2000\"\n"
                                     "validation: \"digits://?samples=400&first=100000\"\n"
                                   : fmt::format(
                                         "data:\n  root: {}\n  sets:\n    - "
                                         "{{source: \"idx://mnist-train-images-idx3-ubyte.gz\"}}\n"
                                         "validation: \"idx://mnist-t10k-images-idx3-ubyte.gz\"\n",
                                         data.string());
  return fmt::format(
      "name: one-slow\npromise: {{target: {}, probability: 0.9, deadline: 9min}}\n{}"
      "model: {{zoo: lenet5}}\ntrain: {{learning_rate: {}, passes_max: 12, {}}}\n"
      "cluster: {{local: {}}}\n",
      quick ? 1.5 : kTarget, digits, kLearningRate, way.train, kWorkers);
}

// Seconds of the training phase, from the journal.
Result<double> seconds_to_target(const Way& way, const std::filesystem::path& data, bool quick,
                                 bool one_is_slow) {
  const posix::TemporaryFolder folder;
  SURETY_TRY(TrainingRun run, TrainingRun::start(folder.path(), job_of(way, data, quick)));
  const auto trains = [](const Records& records) {
    return std::ranges::any_of(records, [](const auto& record) {
      return record.has_phase_began() && record.phase_began().phase() == "train";
    });
  };
  if (!run.wait_for(trains)) return fail(ErrorCode::kUnavailable, "it does not train");
  std::optional<SlowProcess> slow;
  if (one_is_slow) slow.emplace(run.workers().at(1), kShare);
  const auto stopped = [](const Records& records) {
    return !records.empty() && std::ranges::any_of(records, [](const auto& record) {
      return record.has_run_stopped();
    });
  };
  const bool ended = run.wait_for(stopped);
  slow.reset();
  if (!ended || run.finish() != 0) {
    return fail(ErrorCode::kUnavailable, "{}: it does not reach the target", way.name);
  }
  double began_s = 0;
  double ended_s = 0;
  for (const auto& record : run.journal()) {
    if (record.has_phase_began() && record.phase_began().phase() == "train") {
      began_s = record.run_s();
    }
    if (record.has_run_stopped()) ended_s = record.run_s();
  }
  return ended_s - began_s;
}

// Our learning rate, and one that is scaled by about the square root of the workers, because
// batches are larger by their number. Scaled by the number itself, the run does not reach the loss
// in twelve passes.
const std::map<std::string, double> kDdpRates{{"ddp", kLearningRate},
                                              {"ddp, rate x 3", 3 * kLearningRate}};

Result<void> measure_ddp(const std::filesystem::path& data, bool one_is_slow, Row& row) {
  for (const auto& [name, rate] : kDdpRates) {
    SURETY_TRY(const double seconds,
               ddp_seconds({.data = data,
                            .target = kTarget,
                            .learning_rate = rate,
                            .workers = kWorkers,
                            .slow_share = one_is_slow ? std::optional(kShare) : std::nullopt}));
    row.peers[name].push_back(seconds);
  }
  return {};
}

}  // namespace

bool measure_one_slow(const Options& options, const std::filesystem::path& data, Report& report) {
  const bool with_ddp = !options.quick && options.wants("one_slow") && has_ddp();
  if (!with_ddp && options.wants("one_slow")) {
    fmt::print(stderr, "one_slow: without DDP (python3-torch, MNIST)\n");
  }
  for (const bool one_is_slow : {false, true}) {
    Row row{.measure = one_is_slow ? "one_slow" : "one_slow/none",
            .unit = "s to the loss",
            .ours = {},
            .peers = {},
            .higher_is_better = false};
    if (!options.wants(row.measure)) continue;
    for (int i = 0; i < (options.quick ? 1 : 3); ++i) {
      for (const Way* way : {&kOurs, &kSynchronous}) {
        const Result<double> seconds = seconds_to_target(*way, data, options.quick, one_is_slow);
        if (!seconds) {
          fmt::print(stderr, "{}: {}\n", row.measure, seconds.error().message);
          return false;
        }
        (way == &kOurs ? row.ours : row.peers[way->name]).push_back(*seconds);
      }
      if (!with_ddp) continue;
      if (const auto measured = measure_ddp(data, one_is_slow, row); !measured) {
        fmt::print(stderr, "{}: {}\n", row.measure, measured.error().message);
        return false;
      }
    }
    report.add(std::move(row));
  }
  return true;
}

}  // namespace surety::bench
