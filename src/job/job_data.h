// The `data:` section: its three forms are made one, and relative paths are resolved.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "job/yaml.h"

namespace surety::job {

// Makes {root: DIR, sets: [{source: ...}, ...]} from a single source, a list, or a mapping. Leaves
// anything else unchanged. Calling it twice has the same effect as calling it once.
void normalise_data(yaml::Node& tree);

// The path from the working folder to a data.root that is $PWD or begins with $PWD/; none for other
// roots.
[[nodiscard]] std::optional<std::string> below_working_folder(std::string_view root);

// Puts the folder before relative paths in the sources of the sets and of `validation`. data.root
// becomes $PWD, so that a second call changes nothing. A root in the file is relative to the file's
// folder; one from --set, or one that begins with $PWD, is relative to the working folder. Without
// a root, paths are relative to the file's folder.
//
// Both the path of a URL and its option labels= are paths; an empty path (digits://) stays empty.
// InvalidInput if the folder's name cannot be part of a URL.
[[nodiscard]] Result<void> resolve_paths(std::string_view file, yaml::Node& tree);

}  // namespace surety::job
