// Reads YAML text: a document, or a value that a --set writes into it.
//
// Stricter than YAML: a key must be a scalar and may occur once; there is one document; there are
// no tags, no anchors and no aliases (so a small text cannot become a large tree).
#pragma once

#include <string_view>

#include "base/result.h"
#include "job/yaml.h"

namespace surety::job::yaml {

// InvalidInput names `file` and the line. A text over 1 MiB is refused.
[[nodiscard]] Result<Node> parse(std::string_view file, std::string_view text);

// Writes `value` (YAML) at a dotted path. Lists take an index from 0; the next free index appends.
// Missing maps on the way are created. Every place in the value becomes `--set key`, the path as
// the user wrote it. InvalidInput: parse() refuses the value, or the path does not fit `root`.
[[nodiscard]] Result<void> set(Node& root, std::string_view path, std::string_view key,
                               std::string_view value);

}  // namespace surety::job::yaml
