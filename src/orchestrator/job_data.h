// The `data:` section: its three forms made one, and relative paths resolved.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/yaml.h"

namespace surety::orchestrator {

// Makes {root: DIR, sets: [{source: ...}, ...]} of a single source, a list, or a mapping; leaves
// what is none of them alone. Doing it twice is doing it once.
void normalise_data(yaml::Node& tree);

// Puts the folder before relative paths in the sources of the sets and of `validation`; data.root
// becomes $PWD, so that doing it twice is doing it once. A root in the file is relative to the
// file's folder, one from --set or one that begins with $PWD to the working folder; without a root,
// paths are relative to the file's folder.
//
// Both the path of a URL and its option labels= are paths; an empty path (digits://) stays so.
// InvalidInput where the folder's name cannot stand in a URL.
[[nodiscard]] Result<void> resolve_paths(std::string_view file, yaml::Node& tree);

}  // namespace surety::orchestrator
