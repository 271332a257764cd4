#include "cli/run/library.h"

#include <cstdio>

#include "base/text.h"
#include "base/words.h"
#include "job/iso_time.h"
#include "job/job_aspects.h"
#include "orchestrator/history/earlier_record.h"
#include "orchestrator/stages/pool_replay.h"
#include "orchestrator/stages/pool_setup.h"
#include "plan/library/profile_library.h"
#include "plan/words.h"
#include "runtime/files/library_folder.h"
#include "runtime/version.h"

namespace surety::cli {
namespace {

using namespace certificate;
using namespace job;
using namespace orchestrator;

plan::LibraryJob library_job(const JobConfig& config) {
  plan::LibraryJob job;
  job.made_for = aspects_of(config.job, config.sources, config.validation);
  for (const NodeTypeSpec& type : config.job.cluster.nodes) job.workers += type.local + type.join;
  job.versions = pool_setup(config.job, config.schema, 1, std::nullopt).spec.version_names;
  return job;
}

std::string remark(const plan::EarlierJobs& earlier, const std::filesystem::path& folder) {
  return fmt::format("uses the results of {} of this kind{} from {}",
                     counted(earlier.jobs, "earlier job"),
                     earlier.same_data ? "" : ", on other data,", folder.string());
}

// The same result for each reading of a run, so that a run never becomes two entries.
double end_of(const RunState& state) { return state.beginning.started_unix_s + state.time_s; }

}  // namespace

Result<std::filesystem::path> library_folder(const std::optional<std::string>& requested) {
  if (requested == "off") {
    return fail(ErrorCode::kInvalidInput,
                "--library: found off, expected a folder (./off is one); to use no earlier jobs, "
                "pass  --set profile.library=off");
  }
  const std::optional<std::filesystem::path> folder =
      requested ? std::filesystem::path(*requested) : runtime::default_library();
  if (folder) return std::filesystem::absolute(*folder);
  return fail(ErrorCode::kInvalidInput,
              "found neither $HOME nor $XDG_DATA_HOME, expected a folder for the profile library: "
              "pass one with --library DIR");
}

Result<void> learn_from_library(const RunOptions& options, PreparedRun& run,
                                proto::RunBegan& began) {
  const Result<std::filesystem::path> folder = library_folder(options.library);
  if (!folder) {  // A service may have no home directory; it runs without a library.
    if (options.library) return tl::unexpected(folder.error());
    run.remarks.push_back("no earlier jobs are used: " + folder.error().message);
    return {};
  }
  const Result<runtime::Library> library = runtime::read_library(*folder);
  if (!library) {
    if (options.library) return tl::unexpected(library.error());
    run.remarks.push_back("no earlier jobs are used: " + library.error().message);
    return {};
  }
  for (const std::string& warning : library->warnings) {
    run.remarks.push_back("an entry of the profile library is ignored: " + warning);
  }
  began.set_library(folder->string());
  const auto known = plan::known_of(library->entries, library_job(run.config));
  if (!known) return {};
  *began.mutable_earlier() = earlier_record(*known);
  run.remarks.push_back(remark(*known, *folder));
  return {};
}

void add_to_library(const JobConfig& config, const RunState& state) {
  if (!state.beginning.library) return;
  if (state.record.certified && state.record.certified->contradicted) {
    fmt::print(
        stderr,
        "the results of this run are not added to the profile library, because a new process has "
        "contradicted its workers\n");
    return;
  }
  const auto learned =
      for_later_jobs(pool_setup(config.job, config.schema, 1, state.beginning.earlier), state);
  if (!learned) return;
  const plan::LibraryJob job = library_job(config);
  const auto added = runtime::add_entry(*state.beginning.library,
                                        {.program = runtime::kVersion,
                                         .job = plain_text(config.job.name, plan::kEntryTextMax),
                                         .finished = format_iso_time(end_of(state)),
                                         .outcome = name_of(verdict(state.record)),
                                         .made_for = job.made_for,
                                         .workers = job.workers,
                                         .versions = job.versions,
                                         .earlier_jobs = *learned});
  if (!added) {
    fmt::print(stderr, "the results of this run could not be added to the profile library: {}\n",
               added.error().message);
  }
}

}  // namespace surety::cli
