// surety plan: makes a plan and trains nothing.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/data_warnings.h"
#include "cli/shell_words.h"
#include "cli/usage.h"
#include "job/job_aspects.h"
#include "job/job_check.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/stages/checked_plan.h"
#include "orchestrator/stages/plan_instance.h"
#include "plan/files/made_for_json.h"
#include "plan/files/plan_io.h"
#include "plan/files/profile_io.h"
#include "plan/plan_options.h"
#include "plan/report/explain.h"
#include "plan/report/plot.h"
#include "plan/words.h"
#include "runtime/job/job_setup.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;

struct PlanCommandOptions {
  std::string job_file;
  std::vector<std::string> sets;
  std::optional<std::string> profile;
  std::optional<std::string> out;
  std::optional<std::string> plot;
  plan::Planner planner = plan::Planner::kClosedLoop;
  bool json = false;
};

// A profile of another job is refused, because it says nothing about this one.
Result<void> check_same_job(const fs::path& folder, const plan::MadeFor& job) {
  const fs::path file = folder / plan::kMadeForFile;
  std::error_code error;
  if (!fs::exists(file, error)) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found no such file, expected the job that the profile was measured for; "
                "measure again with  surety profile",
                file.string());
  }
  SURETY_TRY(const std::string text, posix::read_file(file, plan::kPlanBytesMax));
  SURETY_TRY(const plan::MadeFor found, plan::made_for_from_json(file.string(), text));
  return plan::check_profile_made_for(folder.string(), found, job);
}

// Returns the profile's folder within the folder of a run, or `folder` itself.
fs::path profile_in(const fs::path& folder) {
  std::error_code error;
  const fs::path inside = folder / orchestrator::run_folder::kProfile;
  return fs::exists(inside, error) ? inside : folder;
}

// Finds the newest profile that a run of this job left. A profile that was measured for the present
// job comes before profiles for earlier forms of the job.
Result<fs::path> find_profile(const PlanCommandOptions& options, const job::Job& job,
                              const plan::MadeFor& made_for) {
  fs::path newest;
  std::pair<bool, fs::file_time_type> newest_is{false, fs::file_time_type::min()};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("runs", error)) {
    const fs::path folder = entry.path() / orchestrator::run_folder::kProfile;
    if (!fs::exists(folder, error)) continue;
    const bool is_of_this_job = check_same_job(folder, made_for).has_value();
    const bool has_its_name = entry.path().filename().string().starts_with(job.name + "-");
    if (!is_of_this_job && !has_its_name) continue;
    const std::pair is{is_of_this_job, fs::last_write_time(folder, error)};
    if (is <= newest_is) continue;
    newest = folder;
    newest_is = is;
  }
  if (newest.empty()) {
    return fail(
        ErrorCode::kInvalidInput,
        "no profile of {} under runs/: measure first with  surety profile {}{},  or name one with "
        "--profile DIR",
        job.name, shell_word(options.job_file), set_options(options.sets));
  }
  return newest;
}

Result<plan::Profile> read_profile(const fs::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".csv") continue;
    SURETY_TRY(files[entry.path().filename().string()], posix::read_file(entry.path(), 256 << 20));
  }
  if (error || files.empty()) {
    return fail(
        ErrorCode::kInvalidInput,
        "--profile {}: found no profile in this folder, expected curves.csv and the other tables",
        folder.string());
  }
  Result<plan::Profile> profile = plan::profile_from_files(files);
  if (!profile) return fail_in(profile.error(), "{}", folder.string());
  return profile;
}

// This is checked before any work, so that the user does not wait for a plan whose page cannot be
// written.
Result<void> check_plot(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    return fail(ErrorCode::kInvalidInput, "--plot {}: the folder {} does not exist", path.string(),
                folder.string());
  }
  if (fs::is_directory(path)) {
    return fail(ErrorCode::kInvalidInput, "--plot {}: found a folder, expected a file to write",
                path.string());
  }
  const std::string extension = path.extension().string();
  if (fs::exists(path) && extension != ".html" && extension != ".htm") {
    return fail(ErrorCode::kInvalidInput,
                "--plot {}: it exists and is not an .html file, so it is not overwritten",
                path.string());
  }
  return {};
}

// The next command. Without --out the plan was only printed.
std::string next_step(const PlanCommandOptions& options) {
  const fs::path file = fs::path(options.out.value_or("DIR")) / orchestrator::run_folder::kPlan;
  return fmt::format("next:  {}surety train {}{} --plan {}\n",
                     options.out ? "" : "repeat this with  --out DIR  for  ",
                     shell_word(options.job_file), set_options(options.sets),
                     shell_word(file.string()));
}

Result<int> make_plan(const PlanCommandOptions& options) {
  if (options.plot) {
    SURETY_TRY(check_plot(*options.plot));
  }
  SURETY_TRY(const job::Job job, runtime::read_job(options.job_file, options.sets));
  const Result<orchestrator::JobConfig> read = runtime::set_up(job);
  if (!read) return fail_in(read.error(), "{}", options.job_file);
  const orchestrator::JobConfig& config = *read;
  SURETY_TRY(job::check_rate(options.job_file, job, false));
  for (const std::string& warning : data_warnings(config)) {
    print_message(fmt::format("warning: {}\n", warning));
  }
  const plan::MadeFor made_for = job::aspects_of(config.job, config.sources, config.validation);
  SURETY_TRY(const fs::path folder, options.profile ? Result<fs::path>(profile_in(*options.profile))
                                                    : find_profile(options, job, made_for));
  SURETY_TRY(const plan::Profile profile, read_profile(folder));
  SURETY_TRY(check_same_job(folder, made_for));
  const plan::Instance instance =
      orchestrator::plan_instance(config.job, config.sources, 1, job.promise.deadline_s);
  plan::PlanOptions plan_options;
  plan_options.seed = job.train.seed;
  plan_options.planner = options.planner;
  if (!options.json) {
    print_message(fmt::format("planning with {}{}\n", shell_word(folder.string()),
                              plan_options.planner == plan::Planner::kClosedLoop
                                  ? ": this may take a minute or two"
                                  : ""));
  }
  SURETY_TRY(const orchestrator::PlanBeforeRun made,
             orchestrator::make_plan_before_run(instance, profile, plan_options));
  const plan::Decision& decision = made.decision;
  const std::string written = plan::to_json(plan::PlanFile{made_for, decision});
  if (options.out) {
    std::error_code error;
    fs::create_directories(*options.out, error);
    SURETY_TRY(posix::write_file_atomically(
        fs::path(*options.out) / orchestrator::run_folder::kPlan, written));
  }
  if (options.plot) {
    SURETY_TRY(posix::write_file_atomically(*options.plot,
                                            plan::plan_html(decision, instance.promise, job.name)));
  }
  std::puts(
      (options.json ? written : plan::explain(decision, instance.promise, made.reserved)).c_str());
  const bool is_plan = std::holds_alternative<plan::Plan>(decision);
  if (is_plan && !options.json) fmt::print("{}", next_step(options));
  return is_plan ? kKept : kInfeasible;
}

// The planners of this command: schedules by hand are not made by a program.
std::vector<std::string> planner_names() {
  std::vector<std::string> names;
  for (const auto& [planner, name] : plan::kPlannerNames) {
    if (planner != plan::Planner::kByHand) names.emplace_back(name);
  }
  return names;
}

}  // namespace

void add_plan(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<PlanCommandOptions>();
  CLI::App& command = *app.add_subcommand("plan",
                                          "Make a plan and train nothing: print the plan, its cost "
                                          "and probability, the alternatives, and the reason");
  command.add_option("job", options->job_file, "The job file (YAML)")
      ->required()
      ->type_name("JOB.yaml");
  command.add_option("--set", options->sets, "Override a key of the job file")
      ->type_name("KEY=VALUE");
  command.add_option_function<std::string>(
      "--profile", store_in(options->profile),
      "Folder that `surety profile` wrote (default: the newest profile of this job under runs/)");
  command.add_option_function<std::string>("--out", store_in(options->out), "Folder for plan.json");
  command
      .add_option_function<std::string>(
          "--plot", store_in(options->plot),
          "HTML page to write, with charts of the plan: bands, cost and schedule")
      ->type_name("FILE.html");
  command
      .add_option_function<std::string>(
          "--planner",
          [options](const std::string& name) {
            options->planner = value_named(plan::kPlannerNames, name).value();
          },
          "closed-loop: decide again after every pass; open-loop: a fixed schedule; mean: "
          "a fixed schedule for the average run (default: closed-loop)")
      ->check(CLI::IsMember(planner_names()))
      ->type_name("NAME");
  command.add_flag("--json", options->json, "Print the decision as JSON");
  command.footer(
      "Examples:\n"
      "  surety plan examples/mnist.yaml --profile runs/p1/profile\n"
      "  surety plan examples/mnist.yaml --plot plan.html\n"
      "  surety plan examples/mnist.yaml --planner open-loop\n"
      "  surety plan examples/mnist.yaml --set promise.deadline=5min --json");
  command.callback([options, &chosen] {
    chosen = [options] {
      const Result<int> code = make_plan(*options);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

}  // namespace surety::cli
