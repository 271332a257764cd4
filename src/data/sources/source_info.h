// The contents of a data source, found by reading it once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/reader.h"
#include "data/url.h"

namespace surety::data {

struct SourceInfo {
  std::string name;  // The user's name of the data set.
  std::string url;
  std::string site;  // Where the data is stored; empty means anywhere.
  double price = 0;  // One-time price, in the user's money unit.
  Schema schema;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // Size in memory (Samples::bytes()).
  // Number of samples for each label; empty if labels are real numbers (more than 1,000 distinct
  // ones).
  std::map<float, std::uint64_t> label_histogram;
  // Checksum of all samples in order, independent of the file format; none if nobody has read them.
  std::optional<std::uint64_t> content{};
  // If one feature is much larger than the others: a clause that names it, otherwise empty. It is
  // found only by reading, and stored in no record.
  std::string large_feature;
  // The columns of the features, if the source names them. Records have only feature_names().
  std::vector<std::string> columns;
};

// The place of the source in the job file: "data.digits (idx://images.gz)", or "validation (...)".
[[nodiscard]] std::string place_of(const SourceInfo& source);

// InvalidInput: the source differs from what it was when the run began. `found` is the difference.
[[nodiscard]] tl::unexpected<Error> not_as_it_was(const SourceInfo& source, std::string_view found);

// Reads the source once; the caller sets name, site and price. InvalidInput for a malformed source
// and for one without samples. Memory: one block of samples. `watch`, if set, is called after every
// block with the number of samples read so far.
using ReadWatch = std::function<void(std::uint64_t samples)>;
[[nodiscard]] Result<SourceInfo> inspect(const SourceUrl& url, const OpenFile& open,
                                         const ReadWatch& watch = {});

// One schema for all sources: features and classes are the largest, but classes is 0 if any source
// has none. InvalidInput, naming both sources, if layouts or image shapes differ, or if
// check_columns() refuses them; InvalidInput if there are no sources.
[[nodiscard]] Result<Schema> common_schema(const std::vector<SourceInfo>& sources);
// The names of the features: the columns of the first source that names them. Empty if none does.
[[nodiscard]] std::vector<std::string> feature_names(const std::vector<SourceInfo>& sources);
// InvalidInput, naming both sources, if a column has another place in the second one. Features are
// taken by their place, so it would be taken for another feature.
[[nodiscard]] Result<void> check_columns(const SourceInfo& a, const SourceInfo& b);

}  // namespace surety::data
