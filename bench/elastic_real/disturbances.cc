#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "command.h"
#include "elastic/policy/shares.h"
#include "measures.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kWorkers = 4;
constexpr std::uint32_t kWindow = 2;  // Number of passes: the pass of the event, and the next one.

struct Trained {
  std::string name;
  std::vector<std::string> worker;  // The command of a worker that can train it.
  std::uint64_t samples = 0;
  std::uint32_t before = 0;  // Passes before the event.
  std::uint32_t passes = 0;  // Passes in all.
  std::string job;
};

// The data are so large that an iteration lasts many times longer than the delays of a busy
// machine.
Trained cocoa(bool quick) {
  const std::uint64_t samples = quick ? 4'000 : 200'000;
  // A toy pass is so short that no worker can join during it.
  const std::uint32_t passes = quick ? 800 : 16;
  return {.name = "cocoa",
          .worker = {program("surety"), "worker"},
          .samples = samples,
          .before = 8,
          .passes = passes,
          .job = fmt::format("name: disturbed\n"
                             "promise: {{metric: duality_gap, target: 1e-300, probability: 0.9, "
                             "deadline: 9min}}\n"
                             "data: \"synthetic://?samples={}&features=20000&seed=1\"\n"
                             "validation: \"synthetic://?samples=100&features=20000&seed=1"
                             "&first=5000000\"\n"
                             "model: {{zoo: logistic}}\n"
                             "train: {{lambda: 1e-4, passes_max: {}, policies: {{cut_off: off}}}}\n"
                             "cluster: {{local: {}}}\n",
                             samples, passes, kWorkers)};
}

Trained local_sgd(bool quick) {
  const std::uint64_t samples = quick ? 1'000 : 8'000;
  return {.name = "local-sgd",
          .worker = {program("surety-worker")},
          .samples = samples,
          .before = 3,
          .passes = 6,
          .job = fmt::format("name: disturbed\n"
                             "promise: {{target: 1e-300, probability: 0.9, deadline: 9min}}\n"
                             "data: \"digits://?samples={}\"\n"
                             "validation: \"digits://?samples=200&first=100000\"\n"
                             "model: {{zoo: lenet5}}\n"
                             "train: {{local_steps: 4, learning_rate: 0.02, passes_max: 6}}\n"
                             "cluster: {{local: {}}}\n",
                             samples, kWorkers)};
}

using Disturb = Result<std::optional<posix::Process>> (*)(TrainingRun& run, const Trained& job);

Result<std::optional<posix::Process>> signal(TrainingRun& run, int number) {
  const std::vector<pid_t> workers = run.workers();
  if (workers.size() != kWorkers) return fail(ErrorCode::kUnavailable, "some workers did not join");
  ::kill(workers[1], number);
  return std::nullopt;
}

struct Event {
  std::string name;
  Disturb disturb;
};

const std::vector<Event>& events() {
  static const std::vector<Event> all{
      {"leave", [](TrainingRun& run, const Trained&) { return signal(run, SIGTERM); }},
      {"kill", [](TrainingRun& run, const Trained&) { return signal(run, SIGKILL); }},
      {"join", [](TrainingRun& run, const Trained& job) -> Result<std::optional<posix::Process>> {
         SURETY_TRY(posix::Process joiner, run.join(job.worker));
         return std::optional<posix::Process>(std::move(joiner));
       }}};
  return all;
}

struct Disturbed {
  // Disturbed iterations in the window before the event and in the one after it.
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  // Samples that were lost or doubled: passes whose sum is not the number of samples.
  std::uint64_t samples_off = 0;
};

// A pass of CoCoA is one iteration, so slow iterations are found by comparing passes.
bool is_slow(const std::vector<proto::PassDone>& passes, const proto::PassDone& pass) {
  std::vector<double> seconds;
  for (const proto::PassDone& other : passes) seconds.push_back(other.seconds());
  return pass.iterations() == 1 && pass.seconds() > 2 * elastic::median(std::move(seconds));
}

std::uint32_t disturbed_in(const std::vector<proto::PassDone>& passes, std::size_t first) {
  std::uint32_t sum = 0;
  for (std::size_t i = first; i < std::min(first + kWindow, passes.size()); ++i) {
    // A repeated iteration also takes long, so it is among the slow ones.
    const std::uint32_t slow = passes[i].iterations_slow() + is_slow(passes, passes[i]);
    sum += std::max(passes[i].iterations_again(), slow);
  }
  return sum;
}

// The pass in which the event was noticed; nothing if no worker left or joined.
std::optional<std::size_t> pass_of_event(const Records& records) {
  std::size_t passes = 0;
  std::uint32_t joined = 0;
  for (const auto& record : records) {
    passes += record.has_pass_done();
    joined += record.has_worker_joined();
    if (record.has_worker_gone() || joined > kWorkers) return passes;
  }
  return std::nullopt;
}

Result<Disturbed> disturb(const Trained& trained, const Event& event) {
  const posix::TemporaryFolder folder;
  SURETY_TRY(TrainingRun run, TrainingRun::start(folder.path(), trained.job));
  const bool is_training = run.wait_for(
      [&](const Records& records) { return passes_of(records).size() >= trained.before; });
  if (!is_training) return fail(ErrorCode::kUnavailable, "it does not train");
  SURETY_TRY(std::optional<posix::Process> joiner, event.disturb(run, trained));
  static constexpr int kMissed = 3;  // No model reaches the target, so the run makes all passes.
  if (run.finish() != kMissed) return fail(ErrorCode::kUnavailable, "it does not end as expected");
  const Records records = run.journal();
  const std::vector<proto::PassDone> passes = passes_of(records);
  const auto at = pass_of_event(records);
  if (!at || *at + kWindow > passes.size() || *at < kWindow || passes.size() != trained.passes) {
    return fail(ErrorCode::kUnavailable, "no worker joined or left in the middle of {} passes",
                passes.size());
  }
  Disturbed found{.before = disturbed_in(passes, *at - kWindow),
                  .after = disturbed_in(passes, *at)};
  for (const proto::PassDone& pass : passes) {
    found.samples_off += pass.samples() > trained.samples ? pass.samples() - trained.samples
                                                          : trained.samples - pass.samples();
  }
  return found;
}

bool measure(const Options& options, const Trained& trained, const Event& event, Report& report) {
  Row row{.measure = fmt::format("{}/{}", event.name, trained.name),
          .unit = "iterations",
          .ours = {},
          .peers = {},
          .higher_is_better = false};
  Row before{.measure = row.measure + " before",
             .unit = row.unit,
             .ours = {},
             .peers = {},
             .higher_is_better = false};
  Row samples{.measure = row.measure + " samples",
              .unit = "lost or doubled",
              .ours = {},
              .peers = {},
              .higher_is_better = false};
  for (int i = 0; i < (options.quick ? 1 : 3); ++i) {
    const Result<Disturbed> found = disturb(trained, event);
    if (!found) {
      fmt::print(stderr, "{}: {}\n", row.measure, found.error().message);
      return false;
    }
    row.ours.push_back(found->after);
    before.ours.push_back(found->before);
    samples.ours.push_back(static_cast<double>(found->samples_off));
  }
  const bool exact = std::ranges::all_of(samples.ours, [](double off) { return off == 0; });
  report.add(std::move(row));
  report.add(std::move(before));
  report.add(std::move(samples));
  return exact;
}

}  // namespace

bool measure_disturbances(const Options& options, Report& report) {
  bool verified = true;
  for (const Trained& trained : {cocoa(options.quick), local_sgd(options.quick)}) {
    for (const Event& event : events()) {
      if (!options.wants(event.name + "/" + trained.name)) continue;
      verified = measure(options, trained, event, report) && verified;
    }
  }
  return verified;
}

}  // namespace surety::bench
