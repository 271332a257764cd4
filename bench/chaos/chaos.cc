#include "chaos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <thread>

#include "base/posix/clock.h"
#include "base/posix/signals.h"
#include "base/posix/temporary_folder.h"
#include "bench/elastic_real/command.h"
#include "bench/elastic_real/objective.h"
#include "bench/report.h"
#include "chaos_target.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kWorkers = 8;
constexpr std::uint32_t kFeatures = 500;
constexpr std::uint32_t kValuesPerRow = 20;
constexpr double kTarget = 1e-6;  // Duality gap: the objective can be off by this much.
constexpr std::uint64_t kDiskBytes = 32 << 20;
constexpr auto kPollInterval = std::chrono::milliseconds(20);
// Seconds. A run without further faults must end within this time. It is about ten times the usual
// duration of a run, because the machine may have other work.
constexpr double kHealS = 600;

struct Data {
  std::filesystem::path file;
  std::vector<SparseRow> rows;
};

Result<Data> make_data(const std::filesystem::path& folder, const ChaosOptions& options) {
  const std::filesystem::path file = folder / "rows.svm";
  {
    Random random(options.seed);
    std::ofstream out(file);
    for (std::uint32_t row = 0; row < options.rows; ++row) {
      double score = 0;
      std::string text;
      for (std::uint32_t i = 0; i < kValuesPerRow; ++i) {
        const std::uint64_t stride = kFeatures / kValuesPerRow;
        const std::uint64_t feature = i * stride + random.below(stride);
        const double value = random.normal();
        score += value * (static_cast<double>(feature % 5) - 2);
        text += fmt::format(" {}:{:.4f}", feature + 1, value);
      }
      out << (score + random.normal() > 0 ? "+1" : "-1") << text << "\n";
    }
  }
  SURETY_TRY(auto rows, read_rows(file));
  return Data{file, std::move(rows)};
}

std::string job_of(const Data& data) {
  return fmt::format(
      "name: chaos\n"
      "promise: {{metric: duality_gap, target: {0}, probability: 0.9, deadline: 60min}}\n"
      "data: \"libsvm://{1}\"\n"
      "validation: \"libsvm://{1}\"\n"
      "model: {{zoo: logistic}}\n"
      "train: {{passes_max: 100000, chunk_bytes: 64KiB, policies: {{scale_in: off, cut_off: "
      "off}}}}\n",
      kTarget, data.file.string());
}

// Lists the abandoned checkpoints, why training stopped, and what was certified.
std::string how_it_ended(const Records& journal) {
  std::string text = "its journal has:";
  for (const proto::JournalRecord& record : journal) {
    if (record.has_checkpoint_dropped()) {
      text += fmt::format(" checkpoint {} dropped ({});", record.checkpoint_dropped().folder(),
                          record.checkpoint_dropped().reason());
    }
    if (record.has_run_stopped()) {
      text += fmt::format(" stopped at {:.2f} s ({}), checkpoint {};", record.run_s(),
                          record.run_stopped().reason(), record.run_stopped().checkpoint());
    }
    if (record.has_certified()) {
      text += fmt::format(" certified {:.3g} with {};", record.certified().metric(),
                          record.certified().checkpoint());
    }
  }
  return text;
}

// All findings of all runs so far.
struct Found {
  std::uint32_t runs = 0;
  std::uint32_t passes = 0;
  std::uint32_t resumes = 0;
  std::uint32_t records_lost = 0;
  std::uint32_t out_of_order = 0;
  std::uint32_t unexpected_exits = 0;
  std::uint32_t faults = 0;
  std::uint64_t samples_off = 0;
  double longest_s = 0;
  double objective_off = 0;  // The largest difference from the undisturbed run.
  std::map<FaultKind, std::vector<double>> recovery_s;
  std::map<FaultKind, std::uint32_t> counts;
  std::vector<std::string> wrong;
};

class Chaos {
 public:
  Chaos(const ChaosOptions& options, std::filesystem::path folder, Data data,
        std::optional<Network> network)
      : options_(options),
        folder_(std::move(folder)),
        data_(std::move(data)),
        network_(std::move(network)),
        faults_(options.seed, {.links = network_.has_value(), .disk = !options.plain},
                options.timing) {}

  Result<bool> run() {
    SURETY_TRY(undisturbed_, disturb(0));
    if (!found_.wrong.empty()) return report();
    found_ = {};
    end_ = posix::now() + from_seconds(options_.seconds);
    for (int run = 1; posix::now() < end_ && posix::stop_signals() == 0; ++run) {
      SURETY_TRY(const double objective, disturb(run));
      found_.objective_off = std::max(found_.objective_off, std::abs(objective - undisturbed_));
      if (!found_.wrong.empty()) break;
    }
    return report();
  }

 private:
  // Run 0 gets no faults. Returns the run's objective, recomputed from its final model.
  Result<double> disturb(int run) {
    const std::filesystem::path folder = folder_ / fmt::format("run-{}", run);
    std::filesystem::create_directories(folder);
    std::optional<SmallDisk> disk;
    if (!options_.plain) {
      SURETY_TRY(SmallDisk mounted, SmallDisk::mount(folder / "disk", kDiskBytes));
      disk.emplace(std::move(mounted));
    }
    ChaosTarget target({.folder = folder,
                        .job = job_of(data_),
                        .workers = kWorkers,
                        .network = network_ ? &*network_ : nullptr,
                        .disk = disk ? &*disk : nullptr});
    SURETY_TRY(target.start());
    const Result<void> went = run == 0 ? wait_for_end(target) : inject_faults(target);
    if (!went) {
      wrong(run, went.error().message);
      keep(folder);
      return 0.0;
    }
    const double objective = check_run(target, run);
    if (!found_.wrong.empty()) keep(folder);
    return objective;
  }

  Result<void> inject_faults(ChaosTarget& target) {
    std::optional<Time> next;
    while (!target.ended() && posix::now() < end_ && posix::stop_signals() == 0) {
      SURETY_TRY(target.supervise());
      std::this_thread::sleep_for(kPollInterval);
      // There is no fault before the first pass, because before that there is no cluster to test.
      if (!next) {
        if (passes_of(target.journal()).empty()) continue;
        next = posix::now() + from_seconds(faults_.first_s());
      }
      if (posix::now() < *next) continue;
      const Fault fault = faults_.next();
      target.inject(fault);
      next = posix::now() + from_seconds(fault.pause_s);
    }
    return wait_for_end(target);
  }

  Result<void> wait_for_end(ChaosTarget& target) const {
    target.heal();
    const Time deadline = posix::now() + from_seconds(kHealS);
    while (!target.ended() && posix::now() < deadline && posix::stop_signals() < 2) {
      SURETY_TRY(target.supervise());
      std::this_thread::sleep_for(kPollInterval);
    }
    if (target.ended()) return {};
    return fail(ErrorCode::kTimeout, "after {:.0f} s without faults it has not ended: {} passes",
                kHealS, passes_of(target.journal()).size());
  }

  double check_run(const ChaosTarget& target, int run) {
    const Records journal = target.journal();
    if (*target.ended() != 0) {
      wrong(run, fmt::format("exit code {}; {}", *target.ended(), how_it_ended(journal)));
    }
    const Judgement judged = judge(journal, data_.rows.size(), target.faults());
    if (run == 0) saving_share_ = judged.saving_share;
    ++found_.runs;
    found_.passes += judged.passes;
    found_.samples_off += judged.samples_off;
    found_.out_of_order += judged.out_of_order;
    found_.longest_s = std::max(found_.longest_s, judged.longest_s);
    found_.resumes += target.resumes();
    found_.records_lost += target.records_lost();
    found_.unexpected_exits += static_cast<std::uint32_t>(target.unexpected_exits().size());
    for (const auto& [kind, seconds] : judged.recovery_s) {
      auto& all = found_.recovery_s[kind];
      all.insert(all.end(), seconds.begin(), seconds.end());
    }
    for (const InjectedFault& fault : target.faults()) {
      ++found_.counts[fault.kind];
      found_.faults += fault.kind != FaultKind::kResume;
    }
    if (judged.samples_off > 0) wrong(run, "samples were lost or doubled");
    if (judged.out_of_order > 0) wrong(run, "passes are not consecutive");
    if (target.records_lost() > 0) wrong(run, "durable records were lost");
    for (const UnexpectedExit& one : target.unexpected_exits()) {
      wrong(run, fmt::format(
                     "worker process {} ended without a fault; the last lines of its logs were:{}",
                     one.pid, one.logs));
    }
    const auto verified = run_command({program("surety"), "verify", target.run().string()},
                                      folder_ / fmt::format("verify-{}", run));
    if (!verified) wrong(run, verified.error().message);
    const auto objective =
        objective_of(target.run() / "model.liblinear", data_.rows, Objective::kLogistic);
    if (!objective) {
      wrong(run, objective.error().message);
    } else if (run > 0 && std::abs(*objective - undisturbed_) > kTarget) {
      wrong(run, fmt::format("its objective is {:.9f}, that of an undisturbed run {:.9f}",
                             *objective, undisturbed_));
    }
    return objective.value_or(0);
  }

  void wrong(int run, const std::string& what) {
    found_.wrong.push_back(fmt::format("run {}: {}", run, what));
  }

  void keep(const std::filesystem::path& folder) const {
    if (options_.keep.empty()) return;
    std::error_code error;
    std::filesystem::copy(folder, options_.keep / folder.filename(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing,
                          error);
  }

  bool report() const {
    fmt::print("chaos seed {}: {} workers {}, {} runs, {} faults, {} coordinators\n", options_.seed,
               kWorkers,
               network_ ? "in network namespaces" : "as plain processes (links are not cut)",
               found_.runs, found_.faults, found_.runs + found_.resumes);
    std::vector<double> all;
    for (const auto& [kind, count] : found_.counts) {
      const auto seconds = found_.recovery_s.find(kind);
      if (seconds == found_.recovery_s.end()) {
        fmt::print("  {:16} {:4}\n", name_of(kind), count);
        continue;
      }
      all.insert(all.end(), seconds->second.begin(), seconds->second.end());
      fmt::print("  {:16} {:4}, next step after {:5.2f} s, at worst {:5.2f} s\n", name_of(kind),
                 count, median(seconds->second), std::ranges::max(seconds->second));
    }
    if (!all.empty()) {
      fmt::print("  {:16} {:4}, next step after {:5.2f} s, at worst {:5.2f} s\n", "all", all.size(),
                 median(all), std::ranges::max(all));
    }
    fmt::print(
        "  {} passes, at most {:.2f} s from one to the next\n  samples lost or doubled {}, durable "
        "records lost {}, passes out of order {}, workers that ended without a fault {}\n  "
        "undisturbed: objective {:.9f}, others are off by {:.1e} at most; checkpoints took {:.2f} "
        "% of its time\n",
        found_.passes, found_.longest_s, found_.samples_off, found_.records_lost,
        found_.out_of_order, found_.unexpected_exits, undisturbed_, found_.objective_off,
        100 * saving_share_);
    for (const std::string& what : found_.wrong) fmt::print("  WRONG {}\n", what);
    fmt::print("{}\n", found_.wrong.empty() ? "held" : "did not hold");
    return found_.wrong.empty();
  }

  const ChaosOptions options_;
  const std::filesystem::path folder_;
  const Data data_;
  const std::optional<Network> network_;
  Faults faults_;
  Time end_{};
  double undisturbed_ = 0;   // The objective of run 0.
  double saving_share_ = 0;  // The saving share of run 0.
  Found found_;
};

}  // namespace

Result<bool> run_chaos(const ChaosOptions& options) {
  const posix::TemporaryFolder folder;
  ChaosOptions chosen = options;
  std::optional<Network> network;
  if (!chosen.plain) {
    Result<Network> made = Network::make(kWorkers + 1);
    const auto disk = SmallDisk::mount(folder.path() / "disk", kDiskBytes);
    if (made && disk) {
      network.emplace(std::move(*made));
    } else {
      fmt::print("{}: continuing with plain processes\n",
                 (made ? disk.error() : made.error()).message);
      chosen.plain = true;
    }
  }
  SURETY_TRY(Data data, make_data(folder.path(), chosen));
  return Chaos(chosen, folder.path(), std::move(data), std::move(network)).run();
}

}  // namespace surety::bench
