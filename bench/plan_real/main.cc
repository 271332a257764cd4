// bench_plan_real profile|runs|plans --study NAME [--data FOLDER]: measures whether the planner
// keeps its promises in real training.
//
// Real networks learn from real images; prices and speeds come from a seeded virtual clock. All
// training results are kept in FILES/NAME/trajectories.csv. So a killed study continues from there,
// and a complete one needs no images.
//
//   profile   trains every version from every seed, and writes FILES/NAME/curves.csv, ...
//   runs      plans from that profile with every planner, for several deadlines and probabilities,
//             and follows each plan from other seeds; writes FILES/NAME/results.csv, and tables
//   plans     only plans, and prints the plan of each planner
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/posix/file.h"
#include "bench/environment.h"
#include "bench/report.h"
#include "measure_profile.h"
#include "plan/files/profile_io.h"
#include "planners.h"
#include "run_study.h"

namespace {

using namespace surety;
using namespace surety::bench;

constexpr const char* kCurves = "curves.csv";
constexpr const char* kSwitches = "switches.csv";

struct Arguments {
  std::string study;
  std::string data;                       // Folder of the images; empty means no training.
  std::string files = "bench/plan_real";  // Contains one folder for each study.
  bool retrain = false;
  std::uint32_t seeds = 0;  // Seeds of the profile; 0 means the study's number.
  std::uint32_t runs = 60;
  double target = 0;  // 0 means the study's target.
  double probability = 0.9;
  std::vector<double> deadlines_s;  // Empty means that the rule of deadlines_of() applies.
  std::string out;                  // File for the results as JSON; empty means none.
};

std::filesystem::path folder_of(const Arguments& arguments, const Study& study) {
  return std::filesystem::path(arguments.files) / study.name;
}

Result<Trajectories> open_trajectories(const Arguments& arguments, const Study& study) {
  const std::filesystem::path file = folder_of(arguments, study) / "trajectories.csv";
  if (arguments.retrain) std::filesystem::remove(file);
  return Trajectories::open(
      study, file, [study, folder = arguments.data]() -> Result<std::unique_ptr<Trainer>> {
        if (folder.empty()) {
          return fail(ErrorCode::kInvalidInput,
                      "{}: not every run was trained before: give --data FOLDER", study.name);
        }
        SURETY_TRY(Images images, load_images(study, folder));
        SURETY_TRY(Trainer trainer, Trainer::make(study, std::move(images)));
        return std::make_unique<Trainer>(std::move(trainer));
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

double target_of(const Arguments& arguments, const Study& study) {
  return arguments.target > 0 ? arguments.target : study.target;
}

Result<plan::Profile> read_profile(const Arguments& arguments, const Study& study) {
  const std::filesystem::path folder = folder_of(arguments, study);
  std::map<std::string, std::string> files;
  SURETY_TRY(files[kCurves], posix::read_file(folder / kCurves));
  SURETY_TRY(files[kSwitches], posix::read_file(folder / kSwitches));
  return plan::profile_from_files(files);
}

// The requested deadlines. The default follows a rule that uses no result: multiples of the median
// time in which the fastest version reaches the target on an on-demand node.
Result<std::vector<double>> deadlines_of(const Arguments& arguments, const Study& study,
                                         const plan::Profile& profile) {
  if (!arguments.deadlines_s.empty()) return arguments.deadlines_s;
  double quickest_s = std::numeric_limits<double>::infinity();
  for (const StudyVersion& version : study.versions) {
    const auto passes = median_passes_to(target_of(arguments, study), version.name, profile);
    if (passes) quickest_s = std::min(quickest_s, *passes * (version.pass_s + study.eval_s));
  }
  std::vector<double> deadlines;
  for (const double times : {1.5, 2.0, 2.5, 3.0}) {
    deadlines.push_back(std::round(times * quickest_s));
  }
  if (std::isfinite(quickest_s)) return deadlines;
  return fail(ErrorCode::kInvalidInput, "{}: no version reaches {}: give --deadline", study.name,
              target_of(arguments, study));
}

Result<void> plans(const Arguments& arguments) {
  SURETY_TRY(const Study study, study_named(arguments.study));
  SURETY_TRY(const plan::Profile profile, read_profile(arguments, study));
  SURETY_TRY(const std::vector<double> deadlines, deadlines_of(arguments, study, profile));
  for (const double deadline_s : deadlines) {
    const RealPromise promise{target_of(arguments, study), arguments.probability, deadline_s};
    fmt::print("{}: loss at most {} in {} s with probability {}\n", study.name, promise.target,
               promise.deadline_s, promise.probability);
    SURETY_TRY(const std::vector<Planned> planners, plan_all(World(study), promise, profile));
    for (const Planned& planner : planners) {
      fmt::print("{:<20} {} {:.3f} (at least {:.3f}), cost {:.3f}: {}\n", planner.name,
                 planner.issued ? "plans" : "refuses", planner.probability,
                 planner.probability_lower, planner.cost_mean, planner.what);
    }
  }
  return {};
}

Result<void> runs(const Arguments& arguments) {
  SURETY_TRY(const Study study, study_named(arguments.study));
  SURETY_TRY(const plan::Profile profile, read_profile(arguments, study));
  SURETY_TRY(Trajectories trajectories, open_trajectories(arguments, study));
  const auto measure_at = [&](std::uint32_t seed, const Path& path) {
    return trajectories.at(seed, path);
  };
  StudyOptions options;
  options.runs = arguments.runs;
  SURETY_TRY(options.deadlines_s, deadlines_of(arguments, study, profile));
  SURETY_TRY(const std::vector<Kept> rows,
             run_study(World(study), target_of(arguments, study), profile, options, measure_at));
  SURETY_TRY(
      posix::write_file_atomically(folder_of(arguments, study) / "results.csv", to_csv(rows)));
  print_study(rows, options);
  Report report;
  report_study(study.name, rows, options, report);
  Options written;
  written.out = arguments.out;
  if (report.write(written)) return {};
  return fail(ErrorCode::kUnavailable, "{}: cannot write the results", arguments.out);
}

using Command = Result<void> (*)(const Arguments&);

void add_options(CLI::App& command, Arguments& arguments) {
  command.add_option("--study", arguments.study, "Name of the study, e.g. mnist")->required();
  command.add_option("--data", arguments.data, "Folder of the images; needed for training");
  command.add_option("--files", arguments.files, "Folder of the studies' files");
}

void add_promise(CLI::App& command, Arguments& arguments) {
  command.add_option("--target", arguments.target, "Loss to promise, if not the study's");
  command.add_option("--deadline", arguments.deadlines_s,
                     "Deadlines in virtual seconds, one or more");
}

}  // namespace

int main(int argc, char** argv) {
  bench::with_worker_environment(argv);
  Arguments arguments;
  CLI::App app("Whether plans keep their promises in real training");
  app.require_subcommand(1);
  CLI::App* profiling = app.add_subcommand("profile", "Train every version from every seed");
  CLI::App* planning = app.add_subcommand("plans", "Plan from the profile with each planner");
  CLI::App* running = app.add_subcommand("runs", "Follow every plan in real training");
  for (CLI::App* command : {profiling, planning, running}) add_options(*command, arguments);
  for (CLI::App* command : {planning, running}) add_promise(*command, arguments);
  planning->add_option("--probability", arguments.probability, "Probabilities to promise")
      ->check(CLI::Range(0.0, 1.0));
  profiling->add_flag("--retrain", arguments.retrain, "Discard all earlier training");
  profiling->add_option("--seeds", arguments.seeds,
                        "Seeds to profile, if not the number of the study");
  running->add_option("--runs", arguments.runs, "Runs of each planner, each from a different seed")
      ->check(CLI::Range(2, 100000));
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
