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
#include "data/sources/feature_scales.h"
#include "data/url.h"

namespace surety::data {

// What is worth a warning. It is known only to a process that reads the source, and is not stored
// in records.
struct SourceHints {
  std::optional<LargeFeature> large_feature;  // The largest one, whatever its size.
  bool has_constant_feature = false;
  double label_mean = 0;
  double label_deviation = 0;
};

struct SourceInfo {
  std::string name;  // The user's name of the data set.
  std::string url;
  std::optional<std::string> site;  // Where the data is stored; none means anywhere.
  double price = 0;                 // One-time price, in the user's money unit.
  Schema schema;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // Size in memory (Samples::bytes()).
  // Number of samples for each label; empty if labels are real numbers (more than 1,000 distinct
  // ones).
  std::map<float, std::uint64_t> label_histogram;
  // Checksum of all samples in order, independent of the file format; none if they were not read.
  std::optional<std::uint64_t> content{};
  // Checksums of the single samples (sample_checksums.h), for cut(). A process that keeps the
  // source for long empties them afterwards. They are not stored in records.
  std::vector<std::uint32_t> sample_checksums{};
  SourceHints hints;
  // The columns of the features, if the source names them. Records contain only feature_names().
  std::vector<std::string> columns;
};

// "tables of floats (1 x 1 x 10)": the layout, and channels x height x width.
[[nodiscard]] std::string shape_of(const Schema& schema);

// Whether samples of both can be mixed. Sparse rows may differ in features (the largest index so
// far), dense samples may not.
[[nodiscard]] bool same_shape(const Schema& a, const Schema& b);

// The place of the source in the job file: "data.digits (idx://images.gz)", or "validation (...)".
[[nodiscard]] std::string place_of(const SourceInfo& source);

// Return InvalidInput: the source has changed since the run began, or is not the one that the
// coordinator has read, because this machine has another one. `found` describes the difference.
[[nodiscard]] tl::unexpected<Error> not_as_it_was(const SourceInfo& source, std::string_view found);
[[nodiscard]] tl::unexpected<Error> not_as_read(const SourceInfo& source, std::string_view found);

// Reads the source once; the caller sets name, site and price. InvalidInput for a malformed source
// and for one without samples. Memory: one block of samples, and 4 bytes a sample. `watch`, if set,
// is called after every block with the number of samples read so far.
using ReadWatch = std::function<void(std::uint64_t samples)>;
[[nodiscard]] Result<SourceInfo> inspect(const SourceUrl& url, const OpenFile& open,
                                         const ReadWatch& watch = {});

// One schema for all sources. Its features and classes are the largest of all sources, but classes
// is 0 if any source has no classes. InvalidInput, naming both sources, if layouts or image shapes
// differ, or if check_columns() refuses them; InvalidInput if there are no sources.
[[nodiscard]] Result<Schema> common_schema(const std::vector<SourceInfo>& sources);
// The names of the features: the columns of the first source that names them. Empty if no source
// does.
[[nodiscard]] std::vector<std::string> feature_names(const std::vector<SourceInfo>& sources);
// InvalidInput, naming both sources, if a column has different places in the two sources. Features
// are identified by their place, so the column would be read as another feature.
[[nodiscard]] Result<void> check_columns(const SourceInfo& a, const SourceInfo& b);

}  // namespace surety::data
