#include "cli/run/run_choice.h"

#include <fmt/format.h>

#include "cli/run/read_run.h"
#include "orchestrator/history/run_folder.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;
using orchestrator::run_folder::kJournal;

bool is_unfinished(const fs::path& folder, const std::optional<std::string>& job_name) {
  const Result<ReadRun> run = read_run(folder);
  return run && !run->state.end && (!job_name || run->job.name == *job_name);
}

}  // namespace

fs::path fresh_folder(const std::string& job_name) {
  for (int n = 1;; ++n) {
    const fs::path folder = fs::path("runs") / fmt::format("{}-{}", job_name, n);
    if (!fs::exists(folder)) return folder;
  }
}

Result<fs::path> newest_unfinished_folder(const std::optional<std::string>& job_name) {
  fs::path newest;
  fs::file_time_type newest_time = fs::file_time_type::min();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("runs", error)) {
    const fs::path journal = entry.path() / kJournal;
    const auto time = fs::last_write_time(journal, error);
    if (error || time <= newest_time || !is_unfinished(entry.path(), job_name)) continue;
    newest = entry.path();
    newest_time = time;
  }
  if (newest.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "found no unfinished run{} under runs/; name its folder: surety run --resume --out "
                "FOLDER",
                job_name ? fmt::format(" of the job '{}'", *job_name) : "");
  }
  return newest;
}

}  // namespace surety::cli
