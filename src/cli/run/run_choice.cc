#include "cli/run/run_choice.h"

#include <vector>

#include "orchestrator/history/run_folder.h"
#include "runtime/journal_file.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;
using orchestrator::run_folder::kJournal;

bool is_unfinished(const fs::path& folder) {
  const auto records = runtime::read_journal(folder / kJournal);
  return records && !records->empty() && !records->back().has_run_ended();
}

}  // namespace

fs::path fresh_folder(const std::string& job_name) {
  for (int n = 1;; ++n) {
    const fs::path folder = fs::path("runs") / fmt::format("{}-{}", job_name, n);
    if (!fs::exists(folder)) return folder;
  }
}

Result<fs::path> newest_unfinished_folder() {
  fs::path newest;
  fs::file_time_type newest_time = fs::file_time_type::min();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("runs", error)) {
    const fs::path journal = entry.path() / kJournal;
    if (!fs::exists(journal) || !is_unfinished(entry.path())) continue;
    const auto time = fs::last_write_time(journal, error);
    if (time <= newest_time) continue;
    newest = entry.path();
    newest_time = time;
  }
  if (newest.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "no unfinished run under runs/; name the folder: surety run --resume --out FOLDER");
  }
  return newest;
}

}  // namespace surety::cli
