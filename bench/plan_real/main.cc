// bench_plan_real profile|runs --study NAME [--data FOLDER]: does the planner keep its word on real
// training?
//
// Real networks learn from real images; prices and speeds are a seeded virtual clock's. Everything
// that was trained is kept in FILES/NAME/trajectories.csv, so a killed study goes on where it was,
// and one that is complete needs no images.
//
//   profile   trains every version from every seed, and writes FILES/NAME/curves.csv, ...
//   runs      plans from that profile with every planner, and follows each plan from other seeds;
//             writes FILES/NAME/results_TARGET_in_DEADLINEs.csv, and a table
//   plans     only plans, and prints what each planner says
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/posix/file.h"
#include "bench/environment.h"
#include "bench/report.h"
#include "measure_profile.h"
#include "plan/profile_io.h"
#include "planners.h"
#include "run_study.h"

namespace {

using namespace surety;
using namespace surety::bench;

constexpr const char* kCurves = "curves.csv";
constexpr const char* kSwitches = "switches.csv";

struct Arguments {
  std::string study;
  std::string data;                       // Folder of the images; empty: no training.
  std::string files = "bench/plan_real";  // A folder per study is in there.
  bool retrain = false;
  std::uint32_t seeds = 0;  // Of the profile; 0: as many as the study wants.
  std::uint32_t runs = 60;
  // 0: as the study has it.
  double target = 0, probability = 0.9, deadline_s = 0;
  std::string out;  // JSON of the results; empty: none.
};

std::filesystem::path folder_of(const Arguments& arguments, const Study& study) {
  return std::filesystem::path(arguments.files) / study.name;
}

Result<Trajectories> open_trajectories(const Arguments& arguments, const Study& study) {
  std::filesystem::create_directories(folder_of(arguments, study));
  const std::filesystem::path file = folder_of(arguments, study) / "trajectories.csv";
  if (arguments.retrain) std::filesystem::remove(file);
  return Trajectories::open(
      study, file, [study, folder = arguments.data]() -> Result<std::unique_ptr<Trainer>> {
        if (folder.empty()) {
          return fail(ErrorCode::kInvalidInput,
                      "{}: not everything was trained before: say --data FOLDER", study.name);
        }
        SURETY_TRY(Images images, load_images(study, folder));
        return std::make_unique<Trainer>(study, std::move(images));
      });
}

Result<void> profile(const Arguments& arguments) {
  SURETY_TRY(Study study, study_named(arguments.study));
  if (arguments.seeds > 0) study.profile_seeds = arguments.seeds;
  SURETY_TRY(Trajectories trajectories, open_trajectories(arguments, study));
  SURETY_TRY(const plan::Profile measured, measure_profile(study, trajectories));
  const auto files = plan::to_files(measured);
  const std::filesystem::path folder = folder_of(arguments, study);
  SURETY_TRY(posix::write_file_atomically(folder / kCurves, files.at(kCurves)));
  return posix::write_file_atomically(folder / kSwitches, files.at(kSwitches));
}

Result<plan::Profile> read_profile(const Arguments& arguments, const Study& study) {
  const std::filesystem::path folder = folder_of(arguments, study);
  std::map<std::string, std::string> files;
  SURETY_TRY(files[kCurves], posix::read_file(folder / kCurves));
  SURETY_TRY(files[kSwitches], posix::read_file(folder / kSwitches));
  return plan::profile_from_files(files);
}

RealPromise promise_of(const Arguments& arguments, const Study& study) {
  return {.target = arguments.target > 0 ? arguments.target : study.target,
          .probability = arguments.probability,
          .deadline_s = arguments.deadline_s > 0 ? arguments.deadline_s : study.deadline_s};
}

Result<std::vector<Planned>> make_plans(const Arguments& arguments, const Study& study) {
  SURETY_TRY(const plan::Profile profile, read_profile(arguments, study));
  const RealPromise promise = promise_of(arguments, study);
  fmt::print("{}: loss at most {} in {} s with probability {}\n", study.name, promise.target,
             promise.deadline_s, promise.probability);
  return plan_all(World(study), promise, profile);
}

Result<void> plans(const Arguments& arguments) {
  SURETY_TRY(const Study study, study_named(arguments.study));
  SURETY_TRY(const std::vector<Planned> planners, make_plans(arguments, study));
  for (const Planned& planner : planners) {
    fmt::print("{:<20} {} {:.3f} (at least {:.3f}), cost {:.3f}: {}\n", planner.name,
               planner.issued ? "plans" : "refuses", planner.probability, planner.probability_lower,
               planner.cost_mean, planner.what);
  }
  return {};
}

Result<void> runs(const Arguments& arguments) {
  SURETY_TRY(const Study study, study_named(arguments.study));
  SURETY_TRY(const std::vector<Planned> planners, make_plans(arguments, study));
  SURETY_TRY(Trajectories trajectories, open_trajectories(arguments, study));
  const auto measure_at = [&](std::uint32_t seed, const Path& path) {
    return trajectories.at(seed, path);
  };
  const RealPromise promise = promise_of(arguments, study);
  // A file for each promise: the same training serves them all.
  const std::string results =
      fmt::format("results_{}_in_{}s.csv", promise.target, promise.deadline_s);
  SURETY_TRY(const std::vector<RealRun> done,
             run_study(World(study), promise, planners, {.runs = arguments.runs}, measure_at,
                       folder_of(arguments, study) / results));
  print_table(planners, done);
  Report report;
  report_runs(study.name, planners, done, report);
  Options options;
  options.out = arguments.out;
  if (report.write(options)) return {};
  return fail(ErrorCode::kUnavailable, "{}: cannot write the results", arguments.out);
}

using Command = Result<void> (*)(const Arguments&);

void add_options(CLI::App& command, Arguments& arguments) {
  command.add_option("--study", arguments.study, "mnist or cifar10")->required();
  command.add_option("--data", arguments.data, "Folder of the images; needed where training is");
  command.add_option("--files", arguments.files, "Folder of the studies' files");
}

void add_promise(CLI::App& command, Arguments& arguments) {
  command.add_option("--target", arguments.target, "Loss to promise, if not the study's");
  command.add_option("--probability", arguments.probability, "To promise")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--deadline", arguments.deadline_s, "Virtual seconds, if not the study's");
}

}  // namespace

int main(int argc, char** argv) {
  bench::with_worker_environment(argv);
  Arguments arguments;
  CLI::App app("Does the planner keep its word on real training?");
  app.require_subcommand(1);
  CLI::App* profiling = app.add_subcommand("profile", "Train every version from every seed");
  CLI::App* planning = app.add_subcommand("plans", "What each planner plans from the profile");
  CLI::App* running = app.add_subcommand("runs", "Follow every plan in real training");
  for (CLI::App* command : {profiling, planning, running}) add_options(*command, arguments);
  for (CLI::App* command : {planning, running}) add_promise(*command, arguments);
  profiling->add_flag("--retrain", arguments.retrain, "Forget all that was trained before");
  profiling->add_option("--seeds", arguments.seeds, "Profiled, if not as many as the study's");
  running->add_option("--runs", arguments.runs, "Of each planner, each from a seed of its own")
      ->check(CLI::Range(1, 100000));
  running->add_option("--out", arguments.out, "Write the results there, as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  const Command command = profiling->parsed() ? profile : planning->parsed() ? plans : runs;
  const Result<void> done = command(arguments);
  if (!done) fmt::print(stderr, "{}\n", done.error().message);
  return done ? 0 : 1;
}
