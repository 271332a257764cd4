#include <fmt/format.h>

#include <optional>

#include "base/posix/clock.h"
#include "command.h"
#include "measures.h"
#include "slow_process.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kWorkers = 4;  // Eight share two processors so coarsely that nothing shows.
constexpr double kShare = 0.25;

struct Way {
  std::string name;
  std::string train;  // YAML, of the train section.
};

// With an average after every batch, workers that all begin with the same momentum keep to data-
// parallel SGD with momentum exactly: averages of velocities are velocities of averages.
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
      "model: {{zoo: lenet5}}\ntrain: {{learning_rate: 0.02, passes_max: 12, {}}}\n"
      "cluster: {{local: {}}}\n",
      quick ? 1.5 : 0.15, digits, way.train, kWorkers);
}

// Of training, as the journal has it.
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
    return fail(ErrorCode::kUnavailable, "{}: it does not come to the target", way.name);
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

}  // namespace

bool measure_one_slow(const Options& options, const std::filesystem::path& data, Report& report) {
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
    }
    report.add(std::move(row));
  }
  return true;
}

}  // namespace surety::bench
