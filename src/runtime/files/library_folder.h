// The profile library on disk: a folder with one file, ID.json, for each entry.
//
// Other files in the folder are not changed. Several runs may read and write at the same time,
// because a new entry appears as a complete file, and its content determines its name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/library/profile_library.h"

namespace surety::runtime {

// $XDG_DATA_HOME/surety/profiles, else ~/.local/share/surety/profiles; absent if the user has
// neither.
[[nodiscard]] std::optional<std::filesystem::path> default_library();

struct Library {
  std::vector<std::string> ids;  // Ids of the entries, oldest first.
  std::vector<plan::LibraryEntry> entries;
  // One line for each file that looks like an entry and is none.
  std::vector<std::string> warnings;
};

// A missing folder is an empty library. InvalidInput if the folder cannot be read.
[[nodiscard]] Result<Library> read_library(const std::filesystem::path& folder);

// Creates the folder if there is none, for this user alone, and returns the entry's ID. Entries
// that the new one supersedes are removed. Equal entries have the same ID. If several jobs end at
// the same time, each leaves an entry, and the next job uses one of them. Unavailable if the folder
// cannot be made. Other errors are those of posix::write_file_atomically().
[[nodiscard]] Result<std::string> add_entry(const std::filesystem::path& folder,
                                            const plan::LibraryEntry& entry);

// InvalidInput if there is no such entry.
[[nodiscard]] Result<void> forget_entry(const std::filesystem::path& folder, const std::string& id);

}  // namespace surety::runtime
