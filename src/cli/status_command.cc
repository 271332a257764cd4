// surety status: where a run stands.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/read_run.h"

namespace surety::cli {
namespace {

using namespace orchestrator;

nlohmann::json as_json(const RunState& state) {
  const RunRecord& record = state.record;
  nlohmann::json out{{"run", record.run},
                     {"job", record.job},
                     {"mode", state.mode},
                     {"phase", state.ended ? "ended" : state.phase},
                     {"seconds", state.last_s},
                     {"deadline_s", record.deadline_s},
                     {"workers", state.present.size()},
                     {"profile_runs_done", state.profile_done.size()},
                     {"cost", record.profile_cost + record.training_cost},
                     {"checkpoints", state.checkpoints.size()}};
  if (!record.measurements.empty()) {
    const Measurement& last = record.measurements.back();
    out["pass"] = last.pass;
    out["version"] = last.version;
    out["metric"] = last.metric;
  }
  if (state.ended) out["verdict"] = name_of(verdict(record));
  return out;
}

std::string as_text(const RunState& state) {
  const RunRecord& record = state.record;
  std::string text = fmt::format("run {} ({}), {}\n", record.run, record.job,
                                 state.ended ? fmt::format("ended: {}", name_of(verdict(record)))
                                             : fmt::format("in phase {}", state.phase));
  text += fmt::format("  time      {} of {}\n", format_duration(from_seconds(state.last_s)),
                      format_duration(from_seconds(record.deadline_s)));
  text += fmt::format("  workers   {}\n  cost      {:.4g}\n", state.present.size(),
                      record.profile_cost + record.training_cost);
  text += fmt::format("  profile   {} runs done\n", state.profile_done.size());
  if (!record.measurements.empty()) {
    const Measurement& last = record.measurements.back();
    text += fmt::format("  training  pass {}, {}, metric {:.4g}, target {:.4g}\n", last.pass,
                        last.version, last.metric, record.promise.target);
  }
  const std::size_t shown = std::min<std::size_t>(5, record.timeline.size());
  for (auto event = record.timeline.end() - static_cast<std::ptrdiff_t>(shown);
       event != record.timeline.end(); ++event) {
    text += fmt::format("  {:>8.1f}s {}\n", event->seconds, event->text);
  }
  return text;
}

}  // namespace

void add_status(CLI::App& app, Action& chosen) {
  struct Options {
    std::string folder;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("status", "Where a running or finished run stands");
  command.add_option("run", options->folder, "The run's folder")->required()->type_name("RUN");
  command.add_flag("--json", options->json, "Print it as JSON");
  command.footer("Example:\n  surety status runs/mnist-1");
  command.callback([options, &chosen] {
    chosen = [options] {
      const Result<ReadRun> run = read_run(options->folder);
      if (!run) return report_error(run.error(), options->json);
      std::fputs(options->json ? (as_json(run->state).dump(2) + "\n").c_str()
                               : as_text(run->state).c_str(),
                 stdout);
      return kKept;
    };
  });
}

}  // namespace surety::cli
