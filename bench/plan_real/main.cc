// bench_plan_real profile --study NAME [--data FOLDER]: does the planner keep its word on real
// training?
//
// Real networks learn from real images; prices and speeds are a seeded virtual clock's. Everything
// that was trained is kept in FILES/NAME/trajectories.csv, so a killed study goes on where it was,
// and one that is complete needs no images.
//
//   profile   trains every version from every seed, and writes FILES/NAME/curves.csv, ...
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/posix/file.h"
#include "bench/environment.h"
#include "measure_profile.h"
#include "plan/profile_io.h"

namespace {

using namespace surety;
using namespace surety::bench;

struct Arguments {
  std::string study;
  std::string data;                       // Folder of the images; empty: no training.
  std::string files = "bench/plan_real";  // A folder per study is in there.
  bool retrain = false;
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
  SURETY_TRY(const Study study, study_named(arguments.study));
  SURETY_TRY(Trajectories trajectories, open_trajectories(arguments, study));
  SURETY_TRY(const plan::Profile measured, measure_profile(study, trajectories));
  for (const auto& [name, text] : plan::to_files(measured)) {
    if (name == "nodes.csv" || name == "links.csv") continue;  // Empty: one virtual node.
    SURETY_TRY(posix::write_file_atomically(folder_of(arguments, study) / name, text));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  bench::with_worker_environment(argv);
  Arguments arguments;
  CLI::App app("Does the planner keep its word on real training?");
  app.require_subcommand(1);
  CLI::App* profiling = app.add_subcommand("profile", "Train every version from every seed");
  for (CLI::App* command : {profiling}) {
    command->add_option("--study", arguments.study, "mnist or cifar10")->required();
    command->add_option("--data", arguments.data, "Folder of the images");
    command->add_option("--files", arguments.files, "Folder of the studies' files");
    command->add_flag("--retrain", arguments.retrain, "Forget what was trained before");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  const Result<void> done = profile(arguments);
  if (!done) fmt::print(stderr, "{}\n", done.error().message);
  return done ? 0 : 1;
}
