#include "runtime/files/library_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "base/posix/file.h"

namespace surety::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".json";
// The number of entries that are kept for the same data. If the newest entry is damaged, the
// previous one contains nearly the same knowledge.
constexpr std::size_t kKeptOfADataSet = 4;
// More files are not read, because such a large library is a mistake.
constexpr std::size_t kFilesMax = 4096;

fs::path path_of(const fs::path& folder, const std::string& id) {
  return folder / (id + std::string(kExtension));
}

std::string id_of(const plan::LibraryEntry& entry, const std::string& text) {
  std::string name;
  for (const char c : entry.job.substr(0, 40)) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  }
  return fmt::format("{}-{:016x}", name, checksum(std::as_bytes(std::span(text))));
}

// Removes only entries that the new entry supersedes. The other entries were checked when they were
// new.
void remove_superseded(const fs::path& folder, const plan::LibraryEntry& by) {
  const Result<Library> library = read_library(folder);
  if (!library) return;
  for (const std::size_t i :
       plan::superseded(library->entries, plan::job_of(by), kKeptOfADataSet)) {
    std::error_code ignored;
    fs::remove(path_of(folder, library->ids[i]), ignored);
  }
}

}  // namespace

std::optional<fs::path> default_library() {
  // The variable counts only if it has an absolute path (XDG Base Directory Specification).
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && fs::path(data).is_absolute()) {
    return fs::path(data) / "surety/profiles";
  }
  const char* home = std::getenv("HOME");
  if (!home || !fs::path(home).is_absolute()) return std::nullopt;
  return fs::path(home) / ".local/share/surety/profiles";
}

Result<Library> read_library(const fs::path& folder) {
  Library library;
  std::error_code error;
  if (!fs::exists(folder, error)) return library;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // Another run may remove an entry at any time.
    if (it->path().extension() == kExtension && it->is_regular_file(gone)) {
      files.push_back(it->path());
    }
  }
  if (error) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found something that cannot be read ({}), expected a folder with entries of "
                "the profile library",
                folder.string(), error.message());
  }
  std::ranges::sort(files);
  if (files.size() > kFilesMax) {
    library.warnings.push_back(fmt::format("{}: found {} files; only the first {} are read",
                                           folder.string(), files.size(), kFilesMax));
    files.resize(kFilesMax);
  }
  std::vector<std::pair<std::string, plan::LibraryEntry>> found;
  for (const fs::path& file : files) {
    const Result<std::string> text = posix::read_file(file, plan::kEntryBytesMax);
    // Another run may have removed the file.
    if (!text && !fs::exists(file, error)) continue;
    Result<plan::LibraryEntry> entry =
        text ? plan::library_entry_from_json(file.string(), *text)
             : Result<plan::LibraryEntry>(tl::unexpected(text.error()));
    if (entry) {
      found.emplace_back(file.stem().string(), std::move(*entry));
    } else {
      library.warnings.push_back(fmt::format("{}. To remove it:  surety profiles forget {}",
                                             entry.error().message, file.stem().string()));
    }
  }
  // Times have whole seconds. Of two jobs that ended in the same second, the later one contains
  // more jobs.
  std::ranges::stable_sort(found, {}, [](const auto& one) {
    return std::pair(one.second.finished, one.second.earlier_jobs.jobs);
  });
  for (auto& [id, entry] : found) {
    library.ids.push_back(std::move(id));
    library.entries.push_back(std::move(entry));
  }
  return library;
}

Result<std::string> add_entry(const fs::path& folder, const plan::LibraryEntry& entry) {
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::kUnavailable, "{}: {}", folder.string(), error.message());
  }
  if (is_new) fs::permissions(folder, fs::perms::owner_all, error);
  const std::string text = plan::to_json(entry);
  std::string id = id_of(entry, text);
  SURETY_TRY(posix::write_file_atomically(path_of(folder, id), text));
  remove_superseded(folder, entry);
  return id;
}

Result<void> forget_entry(const fs::path& folder, const std::string& id) {
  std::error_code error;
  const bool is_name = !id.empty() && fs::path(id).filename() == id;
  if (is_name && fs::remove(path_of(folder, id), error)) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: found no entry in {}{}, expected one of those that  surety profiles list  shows",
              id, folder.string(), error ? " that can be removed: " + error.message() : "");
}

}  // namespace surety::runtime
