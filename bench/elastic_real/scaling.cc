// Uni-tasks and micro-tasks on real processes while nodes join or leave.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "command.h"
#include "measures.h"
#include "paced_node.h"
#include "text_files.h"

namespace surety::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kGap = 1e-3;
constexpr double kBoundGap = 1e-5;  // Gap of the run that bounds the least objective from below.
constexpr double kPatienceS = 300;  // Seconds, for our runs: ends a run that hangs.
constexpr std::uint32_t kFeatures = 1 << 15;
// Numbers of nodes.
constexpr std::uint32_t kFew = 2;
constexpr std::uint32_t kMany = 16;
constexpr std::uint32_t kChunks = 20 * kMany;  // Number of our chunks.
// Number of times that two nodes join or leave while one node computes a pass.
constexpr double kStepsPerPass = 2;

struct Size {
  std::uint32_t rows = 0;
  double pass_s = 0;  // Seconds of one node that computes all rows.
};
constexpr Size kFull{.rows = 20'000, .pass_s = 0.8};
constexpr Size kToy{.rows = 4'000, .pass_s = 0.2};

// A number of micro-tasks. A peer that takes `late` times as long as ours is stopped: then its
// ratio is at least `late`, which is above the required ratio.
struct Count {
  std::uint32_t tasks = 0;
  double late = 0;
};
constexpr Count kCounts[] = {{16, 4}, {32, 5}, {64, 6}};

struct Schedule {
  std::string name;
  std::uint32_t first = 0;  // Number of nodes at the start.
  std::uint32_t last = 0;   // Number of nodes at the end.

  [[nodiscard]] std::uint32_t nodes_after(std::uint32_t steps) const {
    const std::uint32_t moved = std::min(2 * steps, kMany - kFew);
    return first < last ? first + moved : first - moved;
  }
};

struct Measure {
  Schedule schedule;
  bool alike = false;  // If set, micro-tasks use our aggregation.
  int repeats = 3;

  [[nodiscard]] std::string name(std::uint32_t tasks) const {
    return fmt::format("{}{}/{}", schedule.name, alike ? "_alike" : "", tasks);
  }
};

const std::vector<Measure>& measures() {
  static const Schedule out{"scale_out", kFew, kMany};
  static const Schedule in{"scale_in", kMany, kFew};
  static const std::vector<Measure> all{{.schedule = out},
                                        {.schedule = in},
                                        {.schedule = out, .alike = true, .repeats = 1},
                                        {.schedule = in, .alike = true, .repeats = 1}};
  return all;
}

struct Way {
  std::string name;
  std::uint32_t files = 0;  // Files of the data, one for each chunk.
  std::string train;        // Settings of the train section, as YAML.
};

// The schedule determines the nodes, so no node is released because it is not needed.
Way ours() { return {"ours", kChunks, "chunk_bytes: 1GiB, policies: {scale_in: off}"}; }

Way micro_tasks(std::uint32_t count, bool alike) {
  return {fmt::format("micro_{}", count), count,
          fmt::format("micro_tasks: {}, aggregation: {}, "
                      "policies: {{shuffle: off, cut_off: off, scale_in: off}}",
                      count, alike ? "accelerated" : "safe")};
}

// The nodes of a run, as processes.
class Nodes {
 public:
  Nodes(const TrainingRun& run, double row_s) : run_(run), command_(paced_node_command(row_s)) {}

  // Makes `count` nodes take part: starts new ones, or asks the latest ones to leave.
  [[nodiscard]] Result<void> become(std::uint32_t count) {
    for (; staying_ > count; --staying_) processes_[staying_ - 1].send_signal(SIGTERM);
    for (; staying_ < count; ++staying_) {
      SURETY_TRY(posix::Process process, run_.join(command_));
      processes_.push_back(std::move(process));
    }
    return {};
  }

 private:
  const TrainingRun& run_;
  std::vector<std::string> command_;
  // Nodes of a schedule, in which nodes only join or only leave.
  std::vector<posix::Process> processes_;
  // The number of processes, from the first one on, that have not been asked to leave.
  std::size_t staying_ = 0;
};

bool has_begun(const Records& records) {
  return std::ranges::any_of(records, [](const auto& record) { return record.has_phase_began(); });
}

bool has_stopped(const Records& records) {
  return std::ranges::any_of(records, [](const auto& record) { return record.has_run_stopped(); });
}

// Seconds from the end of the first pass with this many workers. In the passes before it, rows are
// read and workers join. Nothing if there is no such pass yet.
std::optional<double> seconds_of_training(const Records& records, std::uint32_t workers) {
  std::optional<double> began_s;
  double ended_s = 0;
  for (const auto& record : records) {
    if (!record.has_pass_done()) continue;
    ended_s = record.run_s();
    if (!began_s && record.pass_done().workers() == workers) began_s = ended_s;
  }
  if (!began_s) return std::nullopt;
  return ended_s - *began_s;
}

class Contest {
 public:
  Contest(fs::path folder, const Size& size)
      : size_(size), files_(std::move(folder), size.rows, kFeatures) {}

  // Bounds the least objective, with a run that is not paced.
  Result<void> prepare() {
    SURETY_TRY(const std::string job, job_of({"bound", 1, "seed: 1"}, "local: 1", kBoundGap));
    const posix::TemporaryFolder folder;
    SURETY_TRY(TrainingRun run, TrainingRun::start(folder.path(), job));
    if (run.finish() != 0) return fail(ErrorCode::kUnavailable, "no bound of the objective");
    SURETY_TRY(const Reached reached, reached_by(run));
    least_ = reached.objective - reached.gap;
    return {};
  }

  // Seconds to the gap, or nothing if that takes longer than `most_s`.
  Result<std::optional<double>> seconds(const Schedule& schedule, const Way& way, int seed,
                                        double most_s) {
    const Way seeded{way.name, way.files, fmt::format("{}, seed: {}", way.train, seed)};
    const std::string cluster = fmt::format("listen: \"127.0.0.1:0\", workers_min: {}", kFew);
    SURETY_TRY(const std::string job, job_of(seeded, cluster, kGap));
    const posix::TemporaryFolder folder;
    SURETY_TRY(TrainingRun run, TrainingRun::start(folder.path(), job));
    Nodes nodes(run, size_.pass_s / size_.rows);
    SURETY_TRY(const bool in_time, follow(schedule, nodes, run, most_s));
    const Records records = run.journal();
    if (!in_time) {
      fmt::print(stderr, "{} {}: not within {:.0f} s: gap {:.2g} after {} passes\n", schedule.name,
                 way.name, most_s, passes_of(records).back().metric(), passes_of(records).size());
      run.stop();
      if (run.finish() >= 0) return std::nullopt;
    }
    if (run.finish() != 0) return fail(ErrorCode::kUnavailable, "{}: it does not end", way.name);
    SURETY_TRY(const Reached reached, reached_by(run));
    if (reached.gap <= kGap && reached.objective - least_ <= kGap) {
      return seconds_of_training(records, schedule.first);
    }
    return fail(ErrorCode::kCorrupt, "{}: gap {:.2g}, but {:.2g} off the least objective", way.name,
                reached.gap, reached.objective - least_);
  }

 private:
  // Returns false if that takes longer than `most_s`.
  Result<bool> follow(const Schedule& schedule, Nodes& nodes, TrainingRun& run,
                      double most_s) const {
    std::optional<Time> began;
    bool late = false;
    Result<void> followed;
    const bool over = run.wait_for([&](const Records& records) {
      if (!began && seconds_of_training(records, schedule.first)) began = posix::now();
      const double seconds = began ? to_seconds(posix::now() - *began) : 0;
      const double steps = seconds * kStepsPerPass / size_.pass_s;
      if (has_begun(records)) {
        followed = nodes.become(schedule.nodes_after(static_cast<std::uint32_t>(steps)));
      }
      late = seconds > most_s;
      return !followed || late || has_stopped(records);
    });
    SURETY_TRY(followed);
    if (!over) return fail(ErrorCode::kUnavailable, "it does not train");
    return !late;
  }

  struct Reached {
    double gap = 0;        // The certified gap.
    double objective = 0;  // Recomputed from the model.
  };
  [[nodiscard]] Result<Reached> reached_by(const TrainingRun& run) const {
    const fs::path folder = run.folder() / "run";
    SURETY_TRY(const std::string certificate, posix::read_file(folder / "certificate.json"));
    SURETY_TRY(const double objective,
               objective_of(folder / "model.liblinear", files_.rows(), Objective::kHinge));
    return Reached{
        .gap = nlohmann::json::parse(certificate).at("certified").at("metric").get<double>(),
        .objective = objective};
  }

  Result<std::string> job_of(const Way& way, const std::string& cluster, double gap) {
    SURETY_TRY(const std::string data, files_.sections(way.files));
    return fmt::format(
        "name: scaling\n"
        "promise: {{metric: duality_gap, target: {}, probability: 0.9, deadline: 9min}}\n{}"
        "model: {{zoo: svm}}\ntrain: {{passes_max: 100000, {}}}\ncluster: {{{}}}\n",
        gap, data, way.train, cluster);
  }

  Size size_;
  TextFiles files_;
  double least_ = 0;
};

std::vector<Count> wanted(const Measure& measure, const Options& options) {
  std::vector<Count> counts;
  for (const Count& count : kCounts) {
    if (options.wants(measure.name(count.tasks))) counts.push_back(count);
    if (options.quick) break;
  }
  return counts;
}

Result<void> compare(Contest& contest, const Measure& measure, const Options& options,
                     Report& report) {
  const std::vector<Count> counts = wanted(measure, options);
  std::map<std::uint32_t, Row> rows;
  for (int seed = 1; seed <= (options.quick ? 1 : measure.repeats) && !counts.empty(); ++seed) {
    SURETY_TRY(const std::optional<double> seconds,
               contest.seconds(measure.schedule, ours(), seed, kPatienceS));
    if (!seconds) return fail(ErrorCode::kUnavailable, "it does not reach the gap");
    for (const Count& count : counts) {
      const Way way = micro_tasks(count.tasks, measure.alike);
      const double late_s = count.late * *seconds;
      SURETY_TRY(const std::optional<double> peer,
                 contest.seconds(measure.schedule, way, seed, late_s));
      Row& row = rows[count.tasks];
      row.ours.push_back(*seconds);
      row.peers[way.name].push_back(peer.value_or(late_s));
    }
  }
  for (auto& [tasks, row] : rows) {
    row.measure = measure.name(tasks);
    row.unit = "s to gap 1e-3";
    row.higher_is_better = false;
    report.add(std::move(row));
  }
  return {};
}

Result<void> compare_all(const Options& options, Report& report) {
  const posix::TemporaryFolder folder;
  Contest contest(folder.path(), options.quick ? kToy : kFull);
  SURETY_TRY(contest.prepare());
  for (const Measure& measure : measures()) {
    const auto compared = compare(contest, measure, options, report);
    if (!compared) return fail_in(compared.error(), "{}", measure.schedule.name);
  }
  return {};
}

}  // namespace

bool measure_scaling(const Options& options, Report& report) {
  const bool is_wanted = std::ranges::any_of(
      measures(), [&](const Measure& measure) { return !wanted(measure, options).empty(); });
  if (!is_wanted) return true;
  const auto compared = compare_all(options, report);
  if (!compared) fmt::print(stderr, "{}\n", compared.error().message);
  return compared.has_value();
}

}  // namespace surety::bench
