// bench_studies record NAME [--data FOLDER] [--hours H] [--seeds N] [--pure] | list
//
// Trains the missing points of a study, and appends them to FILES/NAME/trajectories.csv. It may be
// killed at any moment, and continues at this point when it is started again.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <string>

#include "base/posix/clock.h"
#include "bench/environment.h"
#include "bench/studies/recorder.h"

namespace {

using namespace surety;
using namespace surety::bench;

struct Arguments {
  std::string study;
  std::string data = ".";               // Folder of the images.
  std::string files = "bench/studies";  // Contains one folder for each study.
  double hours = std::numeric_limits<double>::infinity();
  std::uint32_t seeds = 0;  // 0 means the study's number.
  bool pure = false;
};

Result<Trajectories> open_trajectories(const Arguments& arguments, const Study& study) {
  const std::filesystem::path file =
      std::filesystem::path(arguments.files) / study.name / "trajectories.csv";
  return Trajectories::open(study, file,
                            [study, folder = arguments.data]() -> Result<std::unique_ptr<Trainer>> {
                              SURETY_TRY(Images images, load_images(study, folder));
                              SURETY_TRY(Trainer trainer, Trainer::make(study, std::move(images)));
                              return std::make_unique<Trainer>(std::move(trainer));
                            });
}

Result<void> record_study(const Arguments& arguments) {
  SURETY_TRY(const Study study, study_named(arguments.study));
  SURETY_TRY(Trajectories trajectories, open_trajectories(arguments, study));
  const double begin_s = posix::unix_seconds();
  RecordOptions options;
  options.seeds = arguments.seeds > 0 ? arguments.seeds : study.seeds;
  options.wanted = arguments.pure ? Wanted::kPure : Wanted::kAll;
  options.may_continue = [&] { return posix::unix_seconds() - begin_s < 3600 * arguments.hours; };
  options.seed_done = [&](std::uint32_t seed) {
    if (trajectories.trained() == 0) return;
    fmt::print(stderr, "{}: seed {} of {}, {} points trained in {:.0f} s\n", study.name, seed,
               options.seeds, trajectories.trained(), posix::unix_seconds() - begin_s);
  };
  SURETY_TRY(const bool complete, record(study, options, trajectories));
  fmt::print("{}: {}, {} points trained\n", study.name,
             complete ? "complete" : "the time is over; start it again to continue",
             trajectories.trained());
  return {};
}

// The number of seeds of which everything is recorded, or all paths without a change of version.
std::uint32_t count_seeds(const Study& study, const Trajectories& trajectories, Wanted wanted) {
  const std::vector<Path> paths = paths_of(study, wanted);
  std::uint32_t count = 0;
  for (std::uint32_t seed = 1; seed <= study.seeds; ++seed) {
    count += std::ranges::all_of(paths, [&](const Path& p) { return trajectories.has(seed, p); });
  }
  return count;
}

Result<void> list_studies(const Arguments& arguments) {
  fmt::print("{:<24} {:<8} {:>7} {:>7} {:>6} {:>10} {:>10}\n", "study", "network", "images",
             "passes", "seeds", "pure", "recorded");
  for (const Study& study : studies()) {
    SURETY_TRY(const Trajectories trajectories, open_trajectories(arguments, study));
    fmt::print("{:<24} {:<8} {:>7} {:>7} {:>6} {:>10} {:>10}\n", study.name, study.network,
               study.images, study.passes, study.seeds,
               count_seeds(study, trajectories, Wanted::kPure),
               count_seeds(study, trajectories, Wanted::kAll));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  bench::with_worker_environment(argv);
  Arguments arguments;
  CLI::App app("Records how networks learn, for later replays");
  app.require_subcommand(1);
  CLI::App* recording = app.add_subcommand("record", "Train the missing runs of a study");
  CLI::App* listing = app.add_subcommand("list", "The studies, and how many seeds are recorded");
  for (CLI::App* command : {recording, listing}) {
    command->add_option("--files", arguments.files, "Folder of the recordings");
  }
  recording->add_option("study", arguments.study, "Name of the study")->required();
  recording->add_option("--data", arguments.data, "Folder of the images");
  recording->add_option("--hours", arguments.hours, "Hours after which recording stops")
      ->check(CLI::PositiveNumber);
  recording->add_option("--seeds", arguments.seeds, "Number of seeds, if not that of the study")
      ->check(CLI::Range(1, 100000));
  recording->add_flag("--pure", arguments.pure, "Only paths that never change their version");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  const Result<void> done = recording->parsed() ? record_study(arguments) : list_studies(arguments);
  if (!done) fmt::print(stderr, "{}\n", done.error().message);
  return done ? 0 : 1;
}
