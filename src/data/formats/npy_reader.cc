// NPY: a header (npy_header.h), then the values. Features are one sample in each row (2-d), or
// images of unsigned bytes (3-d: count x height x width, 4-d: count x channels x height x width).
// Labels are 1-d, with any of the types. Unsigned bytes stay bytes; all other types become float32.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/formats/buffered_input.h"
#include "data/formats/formats.h"
#include "data/formats/labels.h"
#include "data/formats/npy_header.h"
#include "data/url.h"

namespace surety::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are read as they lie in the file");

// Three keys need about 100 bytes; version 1 allows no more than this.
constexpr std::size_t kHeaderBytesMax = 65536;
constexpr std::size_t kLabelBlock = 4096;

// Reads the text of the header: 93 "NUMPY", the version, and the length of the text as a
// little-endian number of 16 bits (version 1) or 32 bits, come before it.
Result<std::string> read_header_text(BufferedInput& input) {
  constexpr std::string_view kNpyMagic = "\x93NUMPY";
  std::array<char, 12> front{};
  SURETY_TRY(std::size_t count, input.read(std::as_writable_bytes(std::span(front).first(8))));
  if (count < 8 || std::string_view(front.data(), kNpyMagic.size()) != kNpyMagic) {
    return fail(
        ErrorCode::kInvalidInput,
        "{}: found no \"\\x93NUMPY\" at the beginning, expected a file that numpy.save wrote",
        input.name());
  }
  const int version = static_cast<unsigned char>(front[6]);
  if (version < 1 || version > 3) {
    return fail(ErrorCode::kInvalidInput, "{}: found format version {}, expected 1, 2 or 3",
                input.name(), version);
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const auto length_part = std::as_writable_bytes(std::span(front).subspan(8, length_bytes));
  SURETY_TRY(count, input.read(length_part));
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = length << 8 | std::to_integer<std::size_t>(length_part[i]);
  }
  if (count < length_bytes || length > kHeaderBytesMax) {
    return fail(ErrorCode::kInvalidInput, "{}: found a header of {} bytes, expected up to {}",
                input.name(), length, kHeaderBytesMax);
  }
  std::string text(length, '\0');
  SURETY_TRY(count, input.read(std::as_writable_bytes(std::span(text))));
  if (count == length) return text;
  return fail(ErrorCode::kInvalidInput, "{}: found {} bytes of header, expected {}", input.name(),
              count, length);
}

// A file that is read up to its first value.
struct Array {
  NpyHeader header;
  BufferedInput input;

  [[nodiscard]] std::uint64_t records() const { return header.shape.front(); }
};
Result<Array> open_array(const std::string& path, const OpenFile& open) {
  SURETY_TRY(auto input, open_input(path, open));
  SURETY_TRY(const std::string text, read_header_text(input));
  auto header = parse_npy_header(text);
  if (!header) return fail_in(header.error(), "{}", input.name());
  return Array{.header = std::move(*header), .input = std::move(input)};
}

template <typename T>
Result<std::uint64_t> append_converted(BufferedInput& input, std::uint64_t count,
                                       std::pmr::vector<float>& out) {
  constexpr std::uint64_t kBlockValues = 8192;
  std::pmr::vector<T> block;
  std::uint64_t bytes = 0;
  while (count > 0) {
    const std::uint64_t wanted = std::min(count, kBlockValues);
    block.clear();
    SURETY_TRY(const std::uint64_t got, input.append(wanted, block));
    const std::size_t before = out.size();
    out.resize(before + block.size());
    std::transform(block.begin(), block.end(), out.begin() + static_cast<std::ptrdiff_t>(before),
                   [](T value) { return static_cast<float>(value); });
    bytes += got;
    if (got < wanted * sizeof(T)) break;
    count -= wanted;
  }
  return bytes;
}

// Appends up to `count` values as floats. Returns the number of bytes read, smaller only at the
// end.
Result<std::uint64_t> append_floats(Array& array, std::uint64_t count,
                                    std::pmr::vector<float>& out) {
  switch (array.header.type) {
    case NpyType::kU1:
      return append_converted<std::uint8_t>(array.input, count, out);
    case NpyType::kF4:
      return array.input.append(count, out);
    case NpyType::kF8:
      return append_converted<double>(array.input, count, out);
    case NpyType::kI4:
      return append_converted<std::int32_t>(array.input, count, out);
    case NpyType::kI8:
      return append_converted<std::int64_t>(array.input, count, out);
  }
  return 0;
}

// Checks that all values are finite. REQUIRES: `values` are whole records, from record `first` on.
Result<void> check_finite(const std::string& name, std::span<const float> values,
                          std::uint64_t first, std::uint64_t features) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return fail(ErrorCode::kInvalidInput,
                "{}: record {}: value {}: found {}, expected a finite float32", name,
                first + i / features, i % features, values[i]);
  }
  return {};
}

Result<void> expect_end(Array& array) {
  SURETY_TRY(const bool ended, array.input.at_end());
  if (ended) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: found bytes after the last record, expected the end of the file: the header "
              "says {} records",
              array.input.name(), array.records());
}

Result<Schema> schema_of(const Array& array) {
  const auto& shape = array.header.shape;
  const bool image = shape.size() > 2;
  if (shape.size() < 2 || shape.size() > 4 || (image && array.header.type != NpyType::kU1)) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found an array of {} dimensions, expected 2, or 3 or 4 of unsigned bytes",
                array.input.name(), shape.size());
  }
  std::uint64_t values = 1;
  for (const std::uint64_t size : std::span(shape).subspan(1)) {
    values = std::min(values * std::min(size, kSampleBytesMax + 1), kSampleBytesMax + 1);
  }
  if (values == 0 || values * bytes_of(array.header.type) > kSampleBytesMax) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found samples of {}{} values, expected at least one, in up to {} bytes",
                array.input.name(), values > kSampleBytesMax ? "more than " : "",
                std::min(values, kSampleBytesMax), kSampleBytesMax);
  }
  Schema schema{.layout = Layout::kDenseU8, .features = static_cast<std::uint32_t>(values)};
  if (array.header.type != NpyType::kU1) schema.layout = Layout::kDenseF32;
  schema.width = static_cast<std::uint32_t>(shape.back());
  if (image) schema.height = static_cast<std::uint32_t>(shape[shape.size() - 2]);
  if (shape.size() == 4) schema.channels = static_cast<std::uint32_t>(shape[1]);
  return schema;
}

Result<Array> open_labels(const std::string& path, const OpenFile& open, const Array& features) {
  SURETY_TRY(auto labels, open_array(path, open));
  if (labels.header.shape.size() != 1 || labels.records() != features.records()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found shape ({}), expected ({},), one label for each record of {}",
                labels.input.name(), fmt::join(labels.header.shape, ", "), features.records(),
                features.input.name());
  }
  return labels;
}

// Appends the labels [first, first + count) to `out`.
Result<void> read_labels(Array& labels, std::uint64_t first, std::uint64_t count,
                         std::pmr::vector<float>& out) {
  const std::size_t before = out.size();
  SURETY_TRY(const std::uint64_t bytes, append_floats(labels, count, out));
  if (bytes < count * bytes_of(labels.header.type)) {
    return fail(ErrorCode::kInvalidInput,
                "{}: record {}: found the end of the file, expected {} labels", labels.input.name(),
                first + (out.size() - before), labels.records());
  }
  return check_finite(labels.input.name(), std::span(out).subspan(before), first, 1);
}

// Scans all labels before the first sample is read, so that the schema is final from then on.
Result<std::uint32_t> count_classes(Array labels) {
  LabelRange range;
  std::pmr::vector<float> block;
  for (std::uint64_t done = 0; done < labels.records(); done += block.size()) {
    block.clear();
    SURETY_TRY(read_labels(labels, done, std::min(kLabelBlock, labels.records() - done), block));
    for (const float label : block) range.add(label);
  }
  SURETY_TRY(expect_end(labels));
  return range.classes();
}

class NpyReader final : public Reader {
 public:
  NpyReader(Array features, std::optional<Array> labels, const Schema& schema)
      : features_(std::move(features)), labels_(std::move(labels)), schema_(schema) {}

  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] bool has_labels() const override { return labels_.has_value(); }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    const std::uint64_t count = left(samples_max);
    const std::uint64_t values = count * schema_.features;
    if (schema_.layout == Layout::kDenseU8) {
      SURETY_TRY(const std::uint64_t bytes, features_.input.append(values, out.u8));
      SURETY_TRY(expect_bytes(count, bytes));
    } else {
      const std::size_t before = out.f32.size();
      SURETY_TRY(const std::uint64_t bytes, append_floats(features_, values, out.f32));
      SURETY_TRY(expect_bytes(count, bytes));
      SURETY_TRY(check_finite(features_.input.name(), std::span(out.f32).subspan(before), done_,
                              schema_.features));
    }
    if (labels_) {
      SURETY_TRY(read_labels(*labels_, done_, count, out.label));
    } else {
      out.label.resize(out.label.size() + count);
    }
    SURETY_TRY(advance(count));
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    const std::uint64_t count = left(samples);
    SURETY_TRY(const std::uint64_t bytes, features_.input.skip(count * record_bytes()));
    SURETY_TRY(expect_bytes(count, bytes));
    if (labels_) SURETY_TRY(labels_->input.skip(count * bytes_of(labels_->header.type)));
    SURETY_TRY(advance(count));
    return count;
  }

 private:
  [[nodiscard]] std::uint64_t record_bytes() const {
    return std::uint64_t{schema_.features} * bytes_of(features_.header.type);
  }
  // Number of records to read: up to samples_max, limited so that the number of bytes cannot
  // overflow.
  [[nodiscard]] std::uint64_t left(std::uint64_t samples_max) const {
    constexpr std::uint64_t kRecordsMax = 1ull << 32;
    return std::min({samples_max, features_.records() - done_, kRecordsMax});
  }

  Result<void> expect_bytes(std::uint64_t count, std::uint64_t bytes) const {
    if (bytes == count * record_bytes()) return {};
    return fail(ErrorCode::kInvalidInput,
                "{}: record {}: found {} bytes, then the end of the file, expected {} bytes; the "
                "header says {} records",
                features_.input.name(), done_ + bytes / record_bytes(), bytes % record_bytes(),
                record_bytes(), features_.records());
  }

  Result<void> advance(std::uint64_t count) {
    done_ += count;
    if (count > 0 && done_ == features_.records()) return expect_end(features_);
    return {};
  }

  Array features_;
  std::optional<Array> labels_;
  Schema schema_;
  std::uint64_t done_ = 0;
};

}  // namespace

ReaderResult open_npy(const SourceUrl& url, const OpenFile& open, Labels labels) {
  const auto labels_path = url.options.find("labels");
  const bool is_named = labels_path != url.options.end();
  if (!is_named && labels == Labels::kNeeded) {
    return fail(ErrorCode::kInvalidInput, "{}: found no labels, expected npy://{}?labels=FILE",
                url.path, url.path);
  }
  SURETY_TRY(auto features, open_array(url.path, open));
  SURETY_TRY(Schema schema, schema_of(features));
  if (!is_named || labels == Labels::kNone) {
    return std::make_unique<NpyReader>(std::move(features), std::nullopt, schema);
  }
  SURETY_TRY(auto scanned, open_labels(labels_path->second, open, features));
  SURETY_TRY(schema.classes, count_classes(std::move(scanned)));
  SURETY_TRY(auto opened, open_labels(labels_path->second, open, features));
  return std::make_unique<NpyReader>(std::move(features), std::move(opened), schema);
}

}  // namespace surety::data
