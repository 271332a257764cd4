// bench_promise_real [--only digits|mnist] [--data FOLDER] [--runs N] [--quick] [--out FILE]:
// measures whether promises of real `surety run`s are kept, and their cost compared with training
// until the model is good enough.
//
// Each run is a whole command with the default settings on a job of examples/, with its own seed
// (and, for digits, its own data). Every second run has another load on the machine that changes
// every few seconds.
//
// Baselines are `surety train` with one constant version until an evaluation reaches the target.
// They have the data and the load of the runs with probability 0.9.
//
// Each run is a line of a CSV file. A run that is in the file is not run again, so a benchmark that
// was stopped continues. Exits with 1 if a run contradicts itself, or if nothing could be run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "base/posix/append_file.h"
#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "base/posix/temporary_folder.h"
#include "bench/report.h"
#include "counting.h"
#include "load.h"
#include "runner.h"

namespace surety::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kProbabilities[] = {0.8, 0.9, 0.95};

struct Arguments {
  Options options;
  std::uint32_t runs = 30;
  std::uint32_t baselines = 30;  // Maximum number of runs of each baseline.
  double deadline_s = 0;
  double minutes = 0;  // No run begins after this many minutes; 0 means that there is no limit.
  bool only_table = false;
  std::string data;
  std::string csv = "bench/out/promise_real.csv";
  std::string folder = "bench/out/promise_real";
  std::string examples = "examples";
};

std::vector<RealJob> jobs_of(const Arguments& arguments) {
  std::vector<RealJob> jobs;
  const fs::path examples = arguments.examples;
  if (arguments.options.wants("digits")) {
    jobs.push_back({.name = "digits",
                    .file = examples / "quickstart.yaml",
                    .data = {},
                    .deadline_s = arguments.deadline_s,
                    .versions = {"full", "prune:0.5"}});
  }
  if (arguments.options.wants("mnist") && !arguments.data.empty()) {
    jobs.push_back({.name = "mnist",
                    .file = examples / "mnist.yaml",
                    .data = fs::absolute(arguments.data),
                    .deadline_s = arguments.deadline_s,
                    .versions = {"full", "prune:0.5"}});
  }
  return jobs;
}

std::vector<std::string> baselines_of(const RealJob& job) {
  std::vector<std::string> ways;
  for (const std::string& version : job.versions) ways.push_back("train " + version);
  return ways;
}

// The order in which the runs are made. After any part of them, there are some runs of every kind.
std::vector<RunKey> keys_of(const RealJob& job, double deadline_s, const Arguments& arguments) {
  std::vector<RunKey> keys;
  for (std::uint32_t index = 0; index < arguments.runs; ++index) {
    for (const double probability : kProbabilities) {
      if (arguments.options.quick && probability != 0.9) continue;
      keys.push_back({job.name, kOurs, probability, deadline_s, index});
    }
    if (index >= arguments.baselines) continue;
    for (const std::string& way : baselines_of(job)) {
      keys.push_back({job.name, way, 0.9, deadline_s, index});
    }
  }
  return keys;
}

// The file of runs, which is read and appended to.
class Collection {
 public:
  static Result<Collection> open(const fs::path& file) {
    std::error_code ignored;
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
    std::string text;
    if (fs::exists(file)) {
      SURETY_TRY(text, posix::read_file(file));
    }
    const std::size_t whole = text.empty() ? 0 : text.rfind('\n') + 1;
    SURETY_TRY(auto records, records_from_csv(text));
    SURETY_TRY(auto append, posix::AppendFile::open(file, whole));
    Collection collection(std::move(records), std::move(append));
    if (whole == 0) {
      SURETY_TRY(collection.write(csv_head()));
    }
    return collection;
  }

  [[nodiscard]] bool has(const RunKey& key) const {
    return std::ranges::any_of(records_, [&](const Record& one) { return one.key == key; });
  }
  Result<void> add(Record record) {
    SURETY_TRY(write(to_csv(record)));
    records_.push_back(std::move(record));
    return {};
  }
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }

 private:
  Collection(std::vector<Record> records, posix::AppendFile file)
      : records_(std::move(records)), file_(std::move(file)) {}
  Result<void> write(const std::string& text) {
    return file_.append(std::as_bytes(std::span(text.data(), text.size())));
  }

  std::vector<Record> records_;
  posix::AppendFile file_;
};

void print(const Record& record) {
  fmt::print(
      "{:<7} {:<15} {:.2f} {:>3} load {:.1f}/{:.1f}: {} ({}) in {:.1f} s, cost {:.5f}, {} "
      "attempts, {} passes, {}, deciding {}, certified {}{}{}\n",
      record.key.job, record.key.way, record.key.probability, record.key.index, record.load_threads,
      record.machine_load, record.verdict, record.exit_code, record.run_s, record.cost,
      record.attempts, record.passes, record.versions, record.deciding.value_or(-1),
      record.certified.value_or(-1), record.anomaly.empty() ? "" : "; ODD: ", record.anomaly);
  std::fflush(stdout);
}

Result<void> run_all(const Arguments& arguments, const std::vector<RealJob>& jobs,
                     Collection& collection) {
  const Runner runner(fs::absolute(arguments.folder));
  const Time began = posix::now();
  for (const RealJob& job : jobs) {
    SURETY_TRY(const double deadline_s, Runner::deadline_of(job));
    for (const RunKey& key : keys_of(job, deadline_s, arguments)) {
      if (collection.has(key)) continue;
      if (arguments.minutes > 0 && to_seconds(posix::now() - began) > 60 * arguments.minutes) {
        return {};
      }
      SURETY_TRY(Record record, runner.run(job, key));
      print(record);
      SURETY_TRY(collection.add(std::move(record)));
    }
  }
  return {};
}

// The runs of a job that are counted together.
struct Cell {
  std::string job;
  double deadline_s = 0;

  friend auto operator<=>(const Cell&, const Cell&) = default;
};

// The cells of the records. Runs with a deadline other than the current one are left out.
Result<std::vector<Cell>> cells_of(const std::vector<Record>& records,
                                   const std::vector<RealJob>& jobs) {
  std::set<Cell> cells;
  for (const RealJob& job : jobs) {
    SURETY_TRY(const double deadline_s, Runner::deadline_of(job));
    for (const Record& record : records) {
      const RunKey& key = record.key;
      if (key.job == job.name && key.deadline_s == deadline_s) cells.insert({job.name, deadline_s});
    }
  }
  return std::vector<Cell>(cells.begin(), cells.end());
}

void print_promises(const std::vector<Record>& all, const std::vector<Cell>& cells) {
  fmt::print(
      "\n| job, deadline | promised | runs | kept of those not refused (90 % interval) | "
      "beside a load | kept, stated | kept, never stated | refused | missed | "
      "crashed, hung or stopped | ended over 5 s after the result |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Cell& cell : cells) {
    for (const double probability : kProbabilities) {
      const Count count = count_of(select(all, cell.job, cell.deadline_s, kOurs, probability));
      if (count.runs == 0) continue;
      fmt::print(
          "| {}, {:.0f} s | {} | {} | {} | {} of {} | {} of {} | {} of {} | {} | {} | {} | {} |\n",
          cell.job, cell.deadline_s, probability, count.runs, count.kept.text(),
          count.kept_loaded.count, count.kept_loaded.of, count.kept_stated.count,
          count.kept_stated.of, count.kept_unstated.count, count.kept_unstated.of, count.refused,
          count.missed, count.broken, count.slow_ends);
    }
  }
}

void print_costs(const std::vector<Record>& all, const std::vector<Cell>& cells) {
  fmt::print(
      "\n| job, deadline | way | runs | late | cost: median, mean (least to largest) | "
      "time, s: median, mean (least to largest) | gather, train, certify, other, s (means) "
      "| attempts, passes (means) | certified worse than decided, in standard errors: mean, "
      "deviation |\n|---|---|---|---|---|---|---|---|---|\n");
  const auto line = [](const Cell& cell, const std::string& way, const std::vector<Record>& some) {
    if (some.empty()) return;
    std::vector<double> times;
    double gather = 0;
    double train = 0;
    double certify = 0;
    double other = 0;
    double attempts = 0;
    double passes = 0;
    const double n = static_cast<double>(some.size());
    for (const Record& record : some) {
      times.push_back(record.run_s > 0 ? record.run_s : record.wall_s);
      gather += record.gather_s / n;
      train += record.train_s / n;
      certify += record.certify_s / n;
      other += record.other_s / n;
      attempts += record.attempts / n;
      passes += record.passes / n;
    }
    const Spread cost = spread_of(costs_of(some));
    const Spread time = spread_of(times);
    const Surprise surprise = surprise_of(some);
    fmt::print(
        "| {}, {:.0f} s | {} | {} | {} | {:.5f}, {:.5f} ({:.5f} to {:.5f}) | {:.1f}, {:.1f} "
        "({:.1f} to {:.1f}) | {:.1f}, {:.1f}, {:.1f}, {:.1f} | {:.1f}, {:.1f} | {:.2f}, {:.2f} |\n",
        cell.job, cell.deadline_s, way, some.size(), count_of(some).late.text(), cost.median,
        cost.mean, cost.low, cost.high, time.median, time.mean, time.low, time.high, gather, train,
        certify, other, attempts, passes, surprise.mean, surprise.sd);
  };
  for (const Cell& cell : cells) {
    for (const double probability : kProbabilities) {
      line(cell, fmt::format("run, {}", probability),
           select(all, cell.job, cell.deadline_s, kOurs, probability));
    }
    for (const char* way : {"train full", "train prune:0.5"}) {
      line(cell, way, select(all, cell.job, cell.deadline_s, way));
    }
  }
}

// Compares runs with the baseline's runs that were made beside them.
void print_comparison(const Cell& cell, double probability, const std::string& way,
                      const std::vector<Record>& runs, const std::vector<Record>& baseline) {
  if (runs.empty()) return;
  const Spread cost = spread_of(costs_of(runs));
  const Spread base = spread_of(costs_of(baseline));
  fmt::print(
      "{}, {:.0f} s, {}: cost of {} runs over that of {} of `{}`: medians {:.2f}, means "
      "{:.2f}, of a kept run {:.2f}",
      cell.job, cell.deadline_s, probability, runs.size(), baseline.size(), way,
      cost.median / base.median, cost.mean / base.mean,
      cost_of_kept(runs) / cost_of_kept(baseline));
  const std::vector<double> pairs = paired_costs(runs, baseline);
  if (!pairs.empty()) {
    const Spread paired = spread_of(pairs);
    fmt::print(", pair by pair {:.2f} ({:.2f} to {:.2f})", paired.median, paired.low, paired.high);
  }
  fmt::print("; late {}, baseline {}\n", count_of(runs).late.text(),
             count_of(baseline).late.text());
}

// Reports over all jobs: shares of runs, and costs in units of the median of the job's cheaper
// baseline.
void report_all(const std::vector<Record>& all, const std::vector<Cell>& cells,
                const std::vector<RealJob>& jobs, Report& report) {
  std::vector<double> ours;
  std::vector<double> theirs;
  std::vector<Record> baseline_runs;
  for (const Cell& cell : cells) {
    const auto job =
        std::ranges::find_if(jobs, [&](const RealJob& one) { return one.name == cell.job; });
    const std::string way = cheapest(all, cell.job, cell.deadline_s, baselines_of(*job));
    if (way.empty()) continue;
    const std::vector<Record> baseline = select(all, cell.job, cell.deadline_s, way);
    const double unit = spread_of(costs_of(baseline)).median;
    const auto runs = beside(select(all, cell.job, cell.deadline_s, kOurs), baseline);
    for (const Record& record : baseline) theirs.push_back(record.cost / unit);
    for (const Record& record : runs) ours.push_back(record.cost / unit);
    baseline_runs.insert(baseline_runs.end(), baseline.begin(), baseline.end());
    for (const double probability : kProbabilities) {
      print_comparison(cell, probability, way,
                       select(runs, cell.job, cell.deadline_s, kOurs, probability), baseline);
    }
  }
  fmt::print("\n");
  for (const double probability : kProbabilities) {
    std::vector<Record> some;
    for (const Cell& cell : cells) {
      const auto more = select(all, cell.job, cell.deadline_s, kOurs, probability);
      some.insert(some.end(), more.begin(), more.end());
    }
    const Share kept = count_of(some).kept;
    if (kept.of == 0) continue;
    Row row{.measure = fmt::format("kept_{:03.0f}", 100 * probability),
            .unit = "share of runs",
            .ours = {kept.value()},
            .peers = {},
            .higher_is_better = true};
    if (!baseline_runs.empty()) {
      row.peers["the cheaper `train`"] = {count_of(baseline_runs).kept.value()};
    }
    report.add(std::move(row));
  }
  if (ours.empty() || theirs.empty()) return;
  report.add({.measure = "promise_real_cost",
              .unit = "of `train`'s median",
              .ours = std::move(ours),
              .peers = {{"the cheaper `train`", std::move(theirs)}},
              .higher_is_better = false});
}

Result<bool> run_bench(const Arguments& arguments) {
  const std::vector<RealJob> jobs = jobs_of(arguments);
  if (jobs.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "--only {}: found no job, expected digits, or mnist with --data FOLDER",
                arguments.options.only);
  }
  SURETY_TRY(Collection collection, Collection::open(arguments.csv));
  if (!arguments.only_table) {
    SURETY_TRY(run_all(arguments, jobs, collection));
  }
  SURETY_TRY(const std::vector<Cell> cells, cells_of(collection.records(), jobs));
  print_promises(collection.records(), cells);
  print_costs(collection.records(), cells);
  fmt::print("\n");
  Report report;
  report_all(collection.records(), cells, jobs, report);
  const bool sound = std::ranges::all_of(
      collection.records(), [](const Record& record) { return record.anomaly.empty(); });
  return report.write(arguments.options) && sound;
}

int run(int argc, char** argv) {
  Arguments arguments;
  bool own_csv = false;
  arguments.options = parse_options(
      "Are the promises of real runs kept, and what does that cost?", argc, argv,
      [&](CLI::App& app) {
        app.add_option("--data", arguments.data, "Folder of MNIST; without it, digits only");
        app.add_option("--runs", arguments.runs, "Runs of each job for each probability");
        app.add_option("--baselines", arguments.baselines, "Runs of each baseline, at most");
        app.add_option("--deadline", arguments.deadline_s,
                       "Deadline in seconds, instead of the job's");
        app.add_option("--minutes", arguments.minutes, "Minutes after which no run begins");
        app.add_flag("--table", arguments.only_table,
                     "Run nothing, and summarise the recorded runs");
        app.add_option("--csv", arguments.csv, "The file of runs, to which new runs are added");
        app.add_option("--folder", arguments.folder,
                       "Folder that receives the folders of failed runs");
        app.add_option("--examples", arguments.examples, "Folder of the job files");
        app.parse_complete_callback([&] { own_csv = app.count("--csv") > 0; });
      });
  const posix::TemporaryFolder temporary;
  if (arguments.options.quick) {
    if (arguments.options.only.empty()) arguments.options.only = "digits";
    arguments.runs = 2;
    if (!own_csv) {
      arguments.csv = temporary.path() / "runs.csv";
      arguments.folder = temporary.path() / "runs";
    }
  }
  const auto sound = run_bench(arguments);
  if (!sound) fmt::print(stderr, "{}\n", sound.error().message);
  return sound && *sound ? 0 : 1;
}

}  // namespace
}  // namespace surety::bench

int main(int argc, char** argv) {
  if (surety::bench::is_load(argc, argv)) return surety::bench::run_load(argv);
  return surety::bench::run(argc, argv);
}
