// The profile library on disk: a folder with a file of its own for each entry, ID.json.
//
// Whatever else lies there is left alone. Runs may read and write at once: an entry appears whole,
// under a name that its content decides.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/library/profile_library.h"

namespace surety::runtime {

// $XDG_DATA_HOME/surety/profiles, else ~/.local/share/surety/profiles; empty: the user has neither.
[[nodiscard]] std::filesystem::path default_library();

struct Library {
  std::vector<std::string> ids;  // Of the entries, oldest first.
  std::vector<plan::LibraryEntry> entries;
  std::vector<std::string> warnings;  // A line for each file that looks like an entry and is none.
};

// A folder that is not there is an empty library. InvalidInput: the folder cannot be read.
[[nodiscard]] Result<Library> read_library(const std::filesystem::path& folder);

// Makes the folder where there is none, for this user alone; returns the entry's ID. What the entry
// supersedes goes. Entries that are alike have the same ID. Of jobs that end at the same time each
// leaves an entry, and the next job builds on one of them.
[[nodiscard]] Result<std::string> add_entry(const std::filesystem::path& folder,
                                            const plan::LibraryEntry& entry);

// InvalidInput: there is no such entry.
[[nodiscard]] Result<void> forget_entry(const std::filesystem::path& folder, const std::string& id);

}  // namespace surety::runtime
