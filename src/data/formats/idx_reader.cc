// IDX (the format of MNIST): 00 00, type, number of dimensions, each dimension as a big-endian
// 32-bit number, then the values. Images are unsigned bytes (type 08), count x height x width or
// count x channels x height x width. Labels are unsigned bytes, one for each record.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/formats/buffered_input.h"
#include "data/formats/formats.h"
#include "data/url.h"

namespace surety::data {
namespace {

constexpr std::size_t kDimensionsMax = 4;

std::uint32_t big_endian(std::span<const std::byte, 4> bytes) {
  std::uint32_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint32_t>(byte);
  return value;
}

Result<std::vector<std::uint32_t>> read_dimensions(BufferedInput& input) {
  std::array<std::byte, 4> magic{};
  SURETY_TRY(const std::size_t count, input.read(magic));
  if (count < magic.size() || (big_endian(magic) & ~0x7u) != 0x800) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found {} bytes beginning {:08x}, expected an IDX file of unsigned bytes "
                "(0000080N)",
                input.name(), count < magic.size() ? "only a few" : "many", big_endian(magic));
  }
  const auto dimensions = std::to_integer<std::size_t>(magic[3]);
  if (dimensions == 0 || dimensions > kDimensionsMax) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} dimensions, expected 1 to {}", input.name(),
                dimensions, kDimensionsMax);
  }
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::array<std::byte, 4> size{};
    SURETY_TRY(const std::size_t got, input.read(size));
    if (got < size.size()) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: found {} of {} dimensions, then the end of the file", input.name(), i,
                  dimensions);
    }
    sizes.push_back(big_endian(size));
  }
  return sizes;
}

Result<Schema> image_schema(const std::string& name, const std::vector<std::uint32_t>& sizes) {
  if (sizes.size() < 3) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} dimensions, expected 3 or 4 of images",
                name, sizes.size());
  }
  Schema schema{.layout = Layout::kDenseU8};
  if (sizes.size() == 4) schema.channels = sizes[1];
  schema.height = sizes[sizes.size() - 2];
  schema.width = sizes[sizes.size() - 1];
  std::uint64_t features = 1;
  for (const std::uint32_t size : {schema.channels, schema.height, schema.width}) {
    features = std::min(features * size, kSampleBytesMax + 1);
  }
  if (features == 0 || features > kSampleBytesMax) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found images of {} x {} x {} values, expected 1 to {} values", name,
                schema.channels, schema.height, schema.width, kSampleBytesMax);
  }
  schema.features = static_cast<std::uint32_t>(features);
  return schema;
}

Result<void> expect_end(BufferedInput& input, std::uint64_t records) {
  SURETY_TRY(const bool ended, input.at_end());
  if (ended) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: found bytes after the last record, expected the end of the file: the header "
              "says {} records",
              input.name(), records);
}

// Opens the file of labels, and reads up to its first label.
Result<BufferedInput> open_labels(const std::string& path, const OpenFile& open,
                                  std::uint32_t records, const std::string& images_name) {
  SURETY_TRY(auto input, open_input(path, open));
  SURETY_TRY(const auto sizes, read_dimensions(input));
  if (sizes.size() != 1) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} dimensions, expected 1 of labels",
                input.name(), sizes.size());
  }
  if (sizes[0] != records) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} labels, expected {}, one per image of {}",
                input.name(), sizes[0], records, images_name);
  }
  return input;
}

// Largest label + 1. It is found by a scan, because a reader must know the number of classes before
// it reads the first image.
Result<std::uint32_t> count_classes(BufferedInput labels, std::uint32_t records) {
  std::array<std::byte, 16384> block;
  std::uint32_t classes = 0;
  for (std::uint64_t done = 0; done < records;) {
    const auto wanted = std::min<std::uint64_t>(block.size(), records - done);
    SURETY_TRY(const std::size_t got, labels.read(std::span(block).first(wanted)));
    for (const std::byte label : std::span(block).first(got)) {
      classes = std::max(classes, std::to_integer<std::uint32_t>(label) + 1);
    }
    done += got;
    if (got < wanted) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: record {}: found the end of the file, expected {} labels", labels.name(),
                  done, records);
    }
  }
  SURETY_TRY(expect_end(labels, records));
  return classes;
}

class IdxReader final : public Reader {
 public:
  IdxReader(BufferedInput images, std::optional<BufferedInput> labels, const Schema& schema,
            std::uint32_t records)
      : images_(std::move(images)),
        labels_(std::move(labels)),
        schema_(schema),
        records_(records) {}

  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] bool has_labels() const override { return labels_.has_value(); }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    const std::uint64_t count = std::min<std::uint64_t>(samples_max, records_ - done_);
    SURETY_TRY(const std::uint64_t bytes, images_.append(count * schema_.features, out.u8));
    label_bytes_.clear();
    std::uint64_t labels = count;
    if (labels_) {
      SURETY_TRY(labels, labels_->append(count, label_bytes_));
    }
    SURETY_TRY(advance(count, bytes, labels));
    if (!labels_) label_bytes_.resize(count);
    out.label.insert(out.label.end(), label_bytes_.begin(), label_bytes_.end());
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    const std::uint64_t count = std::min<std::uint64_t>(samples, records_ - done_);
    SURETY_TRY(const std::uint64_t bytes, images_.skip(count * schema_.features));
    std::uint64_t labels = count;
    if (labels_) {
      SURETY_TRY(labels, labels_->skip(count));
    }
    SURETY_TRY(advance(count, bytes, labels));
    return count;
  }

 private:
  // Checks that enough bytes came for `count` records, and counts the records as read.
  Result<void> advance(std::uint64_t count, std::uint64_t bytes, std::uint64_t labels) {
    if (bytes < count * schema_.features) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: record {}: found {} bytes, then the end of the file, expected {} bytes; the "
                  "header says {} records",
                  images_.name(), done_ + bytes / schema_.features, bytes % schema_.features,
                  schema_.features, records_);
    }
    if (labels < count) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: record {}: found the end of the file, expected {} labels", labels_->name(),
                  done_ + labels, records_);
    }
    done_ += count;
    if (done_ == records_) return expect_end(images_, records_);
    return {};
  }

  BufferedInput images_;
  std::optional<BufferedInput> labels_;
  Schema schema_;
  std::uint64_t records_ = 0;
  std::uint64_t done_ = 0;
  std::pmr::vector<std::uint8_t> label_bytes_;
};

// The file of the labels; none if the images have no labels.
Result<std::optional<std::string>> labels_path(const SourceUrl& url, Labels labels) {
  if (labels == Labels::kNone) return std::nullopt;
  if (const auto option = url.options.find("labels"); option != url.options.end()) {
    return option->second;
  }
  constexpr std::string_view kImages = "images-idx3";
  std::string path = url.path;
  const std::size_t at = path.rfind(kImages);
  if (at == std::string::npos && labels == Labels::kIfNamed) return std::nullopt;
  if (at == std::string::npos) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found no {} in the name, so the name of the labels' file cannot be derived "
                "from it, expected idx://{}?labels=FILE",
                url.path, kImages, url.path);
  }
  return std::optional(path.replace(at, kImages.size(), "labels-idx1"));
}

}  // namespace

ReaderResult open_idx(const SourceUrl& url, const OpenFile& open, Labels labels) {
  SURETY_TRY(const auto path, labels_path(url, labels));
  SURETY_TRY(auto images, open_input(url.path, open));
  SURETY_TRY(const auto sizes, read_dimensions(images));
  SURETY_TRY(Schema schema, image_schema(images.name(), sizes));
  if (!path) {
    return std::make_unique<IdxReader>(std::move(images), std::nullopt, schema, sizes[0]);
  }
  auto scanned = open_labels(*path, open, sizes[0], images.name());
  if (!scanned) {
    return fail(scanned.error().code, "{}{}", scanned.error().message, label_hint(labels));
  }
  SURETY_TRY(schema.classes, count_classes(*std::move(scanned), sizes[0]));
  SURETY_TRY(auto opened, open_labels(*path, open, sizes[0], images.name()));
  return std::make_unique<IdxReader>(std::move(images), std::move(opened), schema, sizes[0]);
}

}  // namespace surety::data
