// Reads samples from a source in order. Each read returns a limited number of samples, because a
// source may be larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "data/sample.h"

namespace surety::data {

// Whether samples come with labels.
enum class Labels : std::uint8_t {
  kNeeded,  // Each sample has a label. A source without labels is refused.
  // Samples have labels if the URL names the place of the labels. LIBSVM and CIFAR-10 files always
  // contain their labels, and the labels of an images-idx3 file are in a file beside it.
  kIfNamed,
  // Samples of a file have no labels. The place of a label in the file is not read. Generators draw
  // labels in any case.
  kNone,
};

// The options of a caller.
struct ReadOptions {
  Labels labels = Labels::kNeeded;
  // The columns of the features, in the order in which read() gives their values. Empty: all
  // columns but the label's, in the order of the source. Sources without column names ignore this
  // option.
  std::vector<std::string> columns{};
};

class Reader {
 public:
  virtual ~Reader() = default;

  // The schema is known before the first sample. For text formats, features and classes grow while
  // samples are read, and are final at the end of the source.
  [[nodiscard]] virtual const Schema& schema() const = 0;

  // Appends up to samples_max samples to `out`. Returns their number, which is smaller only at the
  // end. InvalidInput, with file, record (from 0) or line (from 1), found and expected, if the
  // source is malformed; afterwards neither the reader nor `out` may be used.
  [[nodiscard]] virtual Result<std::size_t> read(std::size_t samples_max, Samples& out) = 0;

  // Skips samples. Returns their number, which is smaller than `samples` only at the end. Errors
  // are those of read(), but skipped samples need not be checked.
  [[nodiscard]] virtual Result<std::size_t> skip(std::size_t samples) = 0;

  // The name of a feature in the source, for example "column "age"", or its number counted from 1.
  // `feature` counts from 0.
  // REQUIRES: feature < schema().features.
  [[nodiscard]] virtual std::string name_of_feature(std::uint32_t feature) const {
    return fmt::format("feature {}", feature + 1);
  }
  // The columns of the features, in their order; empty if the source names none.
  [[nodiscard]] virtual std::vector<std::string> columns() const { return {}; }
  // The columns that are neither the label nor a feature, in their order.
  [[nodiscard]] virtual std::vector<std::string> ignored_columns() const { return {}; }
  // False if samples have no labels. Then read() appends a 0 in the place of each label.
  [[nodiscard]] virtual bool has_labels() const { return true; }
};

// Opens a file by path for readers. data/posix opens real files; tests use bytes in memory.
using OpenFile = std::function<Result<std::unique_ptr<ByteSource>>(const std::string& path)>;

}  // namespace surety::data
