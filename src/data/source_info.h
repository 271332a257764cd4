// What a data source holds, found by reading it once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/reader.h"

namespace surety::data {

struct SourceInfo {
  std::string name;  // The user's name of the data set.
  std::string url;
  std::string site;  // Where it lies; empty: anywhere.
  double price = 0;  // One-off, in the user's money unit.
  Schema schema;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;                         // In memory (Samples::bytes()).
  std::map<float, std::uint64_t> label_histogram;  // Label -> samples; empty for real-valued labels
                                                   // (more than 1,000 distinct ones).
  std::uint64_t content = 0;  // Checksum of all samples in order, however the file packs them; 0:
                              // nobody has read them.
  // Where one feature is much larger than the others: which one, a clause; else empty. Only found
  // by reading; no record has it.
  std::string large_feature;
};

// Where the job file names it: "data.digits (idx://images.gz)", or "validation (...)".
[[nodiscard]] std::string place_of(const SourceInfo& source);

// InvalidInput: the source is another one than when the run began, by what was found.
[[nodiscard]] tl::unexpected<Error> not_as_it_was(const SourceInfo& source, std::string_view found);

// One pass over the source; name, site and price are left for the caller to say. InvalidInput for a
// malformed source and for one without samples. Memory: one block of samples. `watch`, where there
// is one, is told after every block how many samples were read.
using ReadWatch = std::function<void(std::uint64_t samples)>;
[[nodiscard]] Result<SourceInfo> inspect(const SourceUrl& url, const OpenFile& open,
                                         const ReadWatch& watch = {});

// One schema for all of them: features and classes are the largest, but 0 classes where any source
// has none. InvalidInput, naming both sources, where layouts or image shapes differ, or without a
// source.
[[nodiscard]] Result<Schema> common_schema(const std::vector<SourceInfo>& sources);

}  // namespace surety::data
