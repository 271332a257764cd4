#include "bench/studies/recorder.h"

#include <algorithm>

namespace surety::bench {
namespace {

// Adds paths that change from `path` to each other version, with some passes there.
void add_switches(const Study& study, const Path& path, std::vector<Path>& paths) {
  for (const StudyVersion& version : study.versions) {
    if (version.name == path.version()) continue;
    Path after = path.switched(version.name);
    paths.push_back(after);
    for (std::uint32_t pass = 0; pass < study.switch_passes; ++pass) {
      after = after.then(version.name);
      paths.push_back(after);
    }
  }
}

}  // namespace

std::vector<Path> paths_of(const Study& study, Wanted wanted) {
  std::vector<Path> paths;
  for (const StudyVersion& version : study.versions) {
    Path path(version.name);
    paths.push_back(path);
    for (std::uint32_t pass = 1; pass <= study.passes; ++pass) {
      path = path.then(version.name);
      paths.push_back(path);
      const bool branches = std::ranges::find(study.switch_after, pass) != study.switch_after.end();
      if (branches && wanted == Wanted::kAll) add_switches(study, path, paths);
    }
  }
  return paths;
}

Result<bool> record(const Study& study, const RecordOptions& options, Trajectories& trajectories) {
  const std::vector<Path> paths = paths_of(study, options.wanted);
  for (std::uint32_t seed = 1; seed <= options.seeds; ++seed) {
    for (const Path& path : paths) {
      if (path.is_start()) trajectories.forget_models();  // No later path begins with these models.
      if (trajectories.has(seed, path)) continue;
      if (!options.may_continue()) return false;
      SURETY_TRY(trajectories.at(seed, path));
    }
    options.seed_done(seed);
  }
  return true;
}

}  // namespace surety::bench
