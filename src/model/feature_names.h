// The names of a model's features in its file: the columns that the model was trained on, in the
// order of its weights. The metadata contain them under "feature_names", one name in each line. If
// the data of a model had no column names, there is no such entry, and features are identified by
// their place alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/safetensors.h"

namespace surety::model {

// Adds the names to the metadata, if there are any.
// REQUIRES: UTF-8 without line breaks, as a reader of CSV gives them.
void add_feature_names(const std::vector<std::string>& names,
                       std::map<std::string, std::string>& metadata);

// The names in the metadata of a file; empty if it has none. InvalidInput, with `file`, found and
// expected, if they are not `features` different names. Memory in proportion to the file,
// regardless of `features`.
[[nodiscard]] Result<std::vector<std::string>> feature_names_of(const Safetensors& read,
                                                                std::string_view file,
                                                                std::uint64_t features);

}  // namespace surety::model
