// surety status: shows the state of a run, or a list of the runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "base/posix/clock.h"
#include "base/posix/file_lock.h"
#include "base/units.h"
#include "base/words.h"
#include "certificate/record_text.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/read_run.h"
#include "cli/shell_words.h"
#include "job/job_names.h"
#include "orchestrator/history/moved_run.h"
#include "orchestrator/history/run_folder.h"
#include "plan/words.h"

namespace surety::cli {
namespace {

using namespace certificate;
using namespace orchestrator;

// A run, and whether a coordinator on this machine works on it; unset if that is not known.
struct RunStatus {
  std::filesystem::path folder;
  const RunState& state;
  std::optional<bool> running;
  // States what is missing in the journal. Empty if nothing is missing, or if the coordinator may
  // still write.
  std::string torn;
};

RunStatus status_of(const std::filesystem::path& folder, const ReadRun& run) {
  const auto running = posix::FileLock::is_taken(folder / run_folder::kJournal);
  return {folder, run.state, running, running.value_or(true) ? "" : torn_words(run)};
}

// The phase of a run that has not ended, as one word.
std::string phase_name(const RunState& state) {
  return awaits_second_measurement(state) ? "measure" : std::string(name_of(state.phase));
}

// The time of the promise that the run has used. The second measurement takes none of it.
double used_s(const RunState& state) {
  return state.record.certified ? state.record.run_seconds : state.time_s;
}

// The workers that are present according to the journal.
std::size_t workers_in(const RunState& state) {
  const bool has_none = state.end || state.pause || awaits_second_measurement(state);
  return has_none ? 0 : state.workers.present.size();
}

// The outcome of the second measurement; empty if there is none yet.
std::string second_text(const RunState& state) {
  const std::optional<Certified>& certified = state.record.certified;
  if (!certified) return "";
  if (certified->not_again) {
    return fmt::format("  measured  by the workers only: {}\n", *certified->not_again);
  }
  if (!certified->again) return "";
  if (!certified->contradicted) return "  measured  again by a new process, which agrees\n";
  return fmt::format("  measured  again by a new process; the workers had reported {:.4g}\n",
                     certified->contradicted->metric);
}

// The state of the run as one word, for the list.
std::string phase_of(const RunStatus& status) {
  const RunState& state = status.state;
  if (state.end) return "ended";
  if (status.running.value_or(true)) return phase_name(state);
  return is_paused_by_user(state) ? "paused" : "stopped";
}

// If no coordinator works on the run any more, the workers in the journal are those that were
// present when the coordinator ended.
std::string workers_of(const RunStatus& status) {
  const RunState& state = status.state;
  const std::string count = std::to_string(workers_in(state));
  if (count == "0") return count;
  return status.running.value_or(true) ? count : count + " when its coordinator ended";
}

// The final model of a run that has ended.
struct Kept {
  std::optional<std::uint32_t> attempt;  // None if the run made no attempts.
  // None if the journal does not say of which pass it is.
  std::optional<std::uint32_t> pass;
  std::string version;
};

std::optional<Kept> kept_model(const RunState& state) {
  if (!state.end || !state.record.certified) return std::nullopt;
  Kept kept{.attempt = state.record.certified->attempt, .pass = {}, .version = ""};
  const auto take = [&](const proto::CheckpointCommitted& one) {
    if (!is_same_checkpoint(one.folder(), state.record.certified->checkpoint)) return;
    kept.pass = one.pass();
    kept.version = one.version();
  };
  std::ranges::for_each(state.checkpoints, take);
  if (state.best_checkpoint) take(*state.best_checkpoint);
  return kept;
}

// Abandoned attempts do not count for the final model of a run.
std::string model_text(const RunState& state) {
  const RunRecord& record = state.record;
  if (const auto kept = kept_model(state)) {
    // A duality gap is exact, and is computed on the training samples.
    const std::string on =
        record.promise.metric == plan::Metric::kDualityGap
            ? ""
            : fmt::format(" on {} certifying samples", record.certified->samples);
    return fmt::format("  model     {}{}{} {:.4g}{}, target {:.4g}\n",
                       kept->attempt ? fmt::format("attempt {}, ", *kept->attempt) : "",
                       kept->pass ? fmt::format("pass {}, {}, ", *kept->pass, kept->version) : "",
                       plan::metric_words(record.promise.metric), record.certified->metric, on,
                       record.promise.target);
  }
  if (record.measurements.empty()) return "";
  const Measurement& last = record.measurements.back();
  return fmt::format("  training  {}pass {}, {}, {} {:.4g}, target {:.4g}\n",
                     last.attempt ? fmt::format("attempt {}, ", *last.attempt) : "", last.pass,
                     last.version, plan::metric_words(record.promise.metric), last.metric,
                     record.promise.target);
}

bool is_stopped(const RunStatus& status) {
  return !status.state.end && !status.running.value_or(true);
}

// The time to the deadline if the run were resumed now: it passes while the run is stopped. None
// unless the run is stopped, and if its result is certified already, because then time no longer
// matters.
std::optional<double> left_if_resumed(const RunStatus& status) {
  const RunState& state = status.state;
  if (!is_stopped(status) || state.record.certified) return std::nullopt;
  // The last coordinator's clock may have been ahead of ours; the run's time only grows.
  const double now_s =
      std::max(state.time_s, posix::unix_seconds() - state.beginning.started_unix_s);
  return std::max(0.0, state.record.deadline_s - now_s);
}

std::string left_text(const RunStatus& status) {
  const std::optional<double> left_s = left_if_resumed(status);
  if (!left_s) return "";
  if (*left_s <= 0) return "; the deadline has passed while the run was stopped";
  return fmt::format("; {} are left if it is resumed now, because the deadline does not wait",
                     time_words(*left_s));
}

nlohmann::json as_json(const MetricValues& values) {
  return {{"metric", values.metric}, {"metric_se", values.metric_se}, {"samples", values.samples}};
}

nlohmann::json as_json(const RunStatus& status) {
  const RunState& state = status.state;
  const RunRecord& record = state.record;
  nlohmann::json out{{"run", record.run},
                     {"job", record.job},
                     {"mode", orchestrator::name_of(state.beginning.mode)},
                     {"phase", state.end ? "ended" : phase_name(state)},
                     {"promise",
                      {{"metric", job::name_of(record.promise.metric)},
                       {"target", record.promise.target},
                       {"probability", record.promise.probability}}},
                     {"seconds", used_s(state)},
                     {"deadline_s", record.deadline_s},
                     {"workers", workers_in(state)},
                     {"profile_runs_done", state.profile_runs.done.size()},
                     {"cost", record.profile_cost + record.training_cost},
                     {"checkpoints", state.checkpoints.size()}};
  if (!record.measurements.empty()) {
    const Measurement& last = record.measurements.back();
    out["pass"] = last.pass;
    out["version"] = last.version;
    out["metric"] = last.metric;
  }
  if (const auto kept = kept_model(state)) {
    out["kept"] = {{"attempt", nullptr}, {"metric", record.certified->metric}};
    if (kept->attempt) out["kept"]["attempt"] = *kept->attempt;
    if (kept->pass) out["kept"].update({{"pass", *kept->pass}, {"version", kept->version}});
  }
  if (const auto& certified = record.certified) {
    if (certified->again) out["measured_again"] = as_json(*certified->again);
    if (certified->contradicted) out["contradicted"] = as_json(*certified->contradicted);
    if (certified->not_again) out["not_measured_again"] = *certified->not_again;
  }
  if (record.stated) out["stated"] = record.stated->probability;
  if (record.refused) out["refused"] = record.refused->refusal.reason;
  if (!status.torn.empty()) out["journal"] = status.torn;
  if (state.end) out["verdict"] = name_of(verdict(record));
  if (const auto left_s = left_if_resumed(status)) out["seconds_left"] = *left_s;
  if (status.running) out["running"] = *status.running;
  if (state.pause) out["paused"] = state.pause->reason();
  return out;
}

// Explains why no coordinator works on the run. Does not suggest resuming a run that would fail in
// the same way again.
std::string stopped_text(const RunStatus& status) {
  const auto& paused = status.state.pause;
  const std::string text =
      "  stopped   " + (paused ? paused->reason() : "no coordinator on this machine is running it");
  if (paused && paused->retry_would_fail()) return text + "\n";
  if (ended_before_its_plan(status.state)) {
    return text +
           "; it was ended before its training began, and nothing is lost: begin it again with "
           "another --out\n";
  }
  return fmt::format("{}; continue with  surety {} --resume --out {}\n", text,
                     orchestrator::name_of(status.state.beginning.mode),
                     shell_word(status.folder.string()));
}

// A run that only makes a profile promises nothing.
std::string end_text(const RunState& state) {
  if (state.beginning.mode == RunMode::kProfile) return "the profile is complete";
  return headline(state.record);
}

std::string as_text(const RunStatus& status) {
  const RunState& state = status.state;
  const RunRecord& record = state.record;
  const bool stopped = is_stopped(status);
  std::string text = fmt::format(
      "run {} ({}), {}\n", record.run, record.job,
      state.end
          ? fmt::format("ended: {}", end_text(state))
          : fmt::format("{} in phase {}", stopped ? "stopped" : "running", phase_name(state)));
  if (stopped) text += stopped_text(status);
  if (!status.torn.empty()) text += "  journal   " + status.torn + "; --resume removes them\n";
  text += fmt::format("  time      {} of {}{}\n", format_duration(from_seconds(used_s(state))),
                      format_duration(from_seconds(record.deadline_s)), left_text(status));
  text += fmt::format("  workers   {}\n  cost      {:.4g}\n", workers_of(status),
                      record.profile_cost + record.training_cost);
  if (!state.profile_runs.done.empty()) {
    text += fmt::format("  profile   {} runs done\n", state.profile_runs.done.size());
  }
  text += model_text(state);
  text += second_text(state);
  if (record.stated) {
    text += fmt::format("  promise   stated, with a probability of {}\n",
                        certificate::chance_words(record.stated->probability));
  }
  const std::size_t shown = std::min<std::size_t>(5, record.timeline.size());
  for (auto event = record.timeline.end() - static_cast<std::ptrdiff_t>(shown);
       event != record.timeline.end(); ++event) {
    text += fmt::format("  {:>8.1f}s {}\n", event->seconds, event->text);
  }
  return text;
}

// One line of the list of runs.
struct RunLine {
  std::filesystem::path folder;
  double started_unix_s = 0;
  std::string started;
  std::string job;
  std::string phase;
  std::string verdict;
  // Says why the folder cannot be read. If it is set, all other fields but `folder` are empty.
  std::string error;
};

RunLine line_of(const std::filesystem::path& folder) {
  RunLine line;
  line.folder = folder;
  const Result<ReadRun> run = read_run(folder);
  if (!run) {
    line.error = run.error().message;
    return line;
  }
  const RunState& state = run->state;
  line.started_unix_s = run->records.front().run_began().started_unix_s();
  line.started = state.record.started;
  line.job = state.record.job;
  line.phase = phase_of(status_of(folder, *run));
  // A profile promises nothing.
  const bool is_profile = state.beginning.mode == RunMode::kProfile;
  if (state.end && !is_profile) line.verdict = name_of(verdict(state.record));
  return line;
}

// The runs in the order in which they began.
std::vector<RunLine> runs_in(const std::filesystem::path& folder) {
  std::vector<RunLine> lines;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (std::filesystem::exists(entry.path() / run_folder::kJournal, error)) {
      lines.push_back(line_of(entry.path()));
    }
  }
  std::sort(lines.begin(), lines.end(), [](const RunLine& a, const RunLine& b) {
    return std::tie(a.started_unix_s, a.folder) < std::tie(b.started_unix_s, b.folder);
  });
  return lines;
}

nlohmann::json as_json(const std::vector<RunLine>& lines) {
  nlohmann::json runs = nlohmann::json::array();
  for (const RunLine& line : lines) {
    nlohmann::json run{{"folder", line.folder.string()}};
    if (!line.error.empty()) {
      run["error"] = line.error;
    } else {
      run.update({{"job", line.job}, {"started", line.started}, {"phase", line.phase}});
      if (!line.verdict.empty()) run["verdict"] = line.verdict;
    }
    runs.push_back(std::move(run));
  }
  return {{"runs", std::move(runs)}};
}

std::string as_text(const std::vector<RunLine>& lines) {
  if (lines.empty()) return "no runs in ./runs; start one with  surety run JOB.yaml\n";
  std::size_t width = 3;
  for (const RunLine& line : lines) width = std::max(width, line.folder.string().size());
  std::string text =
      fmt::format("{:<{}}  {:<8}  {:<10}  started\n", "run", width, "phase", "promise");
  for (const RunLine& line : lines) {
    if (!line.error.empty()) {
      text += fmt::format("{:<{}}  {}\n", line.folder.string(), width, line.error);
      continue;
    }
    text += fmt::format("{:<{}}  {:<8}  {:<10}  {}\n", line.folder.string(), width, line.phase,
                        line.verdict.empty() ? "-" : line.verdict, line.started);
  }
  return text;
}

template <typename What>
int print(const What& what, bool json) {
  std::fputs((json ? json_text(as_json(what)) : as_text(what)).c_str(), stdout);
  return kKept;
}

}  // namespace

void add_status(CLI::App& app, Action& chosen) {
  struct Options {
    std::string folder;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "status", "Show the state of a run; without RUN, list the runs in ./runs");
  command
      .add_option("run", options->folder, "The run's folder (default: lists the runs in ./runs)")
      ->type_name("RUN");
  command.add_flag("--json", options->json, "Print the state as JSON");
  command.footer("Examples:\n  surety status\n  surety status runs/mnist-1");
  command.callback([options, &chosen] {
    chosen = [options] {
      if (options->folder.empty()) return print(runs_in("runs"), options->json);
      const Result<ReadRun> run = read_run(options->folder);
      if (!run) return report_error(run.error(), options->json);
      return print(status_of(options->folder, *run), options->json);
    };
  });
}

}  // namespace surety::cli
