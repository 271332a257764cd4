// Reads samples from a source, in order and a limited number at a time, because a source may be
// larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "data/sample.h"

namespace surety::data {

class Reader {
 public:
  virtual ~Reader() = default;

  // Known before the first sample. Only features and classes of text formats grow as samples are
  // read, and are final at the end of the source.
  [[nodiscard]] virtual const Schema& schema() const = 0;

  // Appends up to samples_max samples to `out`. Returns their number, which is smaller only at the
  // end. InvalidInput, with file, record (from 0) or line (from 1), found and expected, if the
  // source is malformed; afterwards neither the reader nor `out` may be used.
  [[nodiscard]] virtual Result<std::size_t> read(std::size_t samples_max, Samples& out) = 0;

  // Skips samples. Returns their number, which is smaller than `samples` only at the end.
  [[nodiscard]] virtual Result<std::size_t> skip(std::size_t samples) = 0;

  // The name of a feature in the source, for example "column "age"", or its number counted from 1.
  // `feature` counts from 0.
  // REQUIRES: feature < schema().features.
  [[nodiscard]] virtual std::string name_of_feature(std::uint32_t feature) const {
    return fmt::format("feature {}", feature + 1);
  }
  // The columns of the features, in their order; empty if the source names none.
  [[nodiscard]] virtual std::vector<std::string> columns() const { return {}; }
};

// The parts of a URL such as "idx:///data/images.gz?labels=...". Nothing is unescaped: a path ends
// at the first '?', the value of an option at the next '&'.
struct SourceUrl {
  std::string scheme;                          // idx, cifar10, libsvm, csv, npy, digits, synthetic
  std::string path;                            // Empty for generators.
  std::map<std::string, std::string> options;  // The part after '?': key=value&key=value.
  std::string text;                            // The URL as the user wrote it, for messages.
};
// InvalidInput, with the nearest known name, for an unknown scheme or option.
[[nodiscard]] Result<SourceUrl> parse_url(std::string_view text);

// Opens a file by path for readers. data/posix opens real files; tests use bytes in memory.
using OpenFile = std::function<Result<std::unique_ptr<ByteSource>>(const std::string& path)>;

}  // namespace surety::data
