#include "data/sources/source_info.h"

#include <algorithm>

#include "base/text.h"
#include "data/formats/open_reader.h"
#include "data/sources/blocks.h"
#include "data/sources/label_moments.h"
#include "data/sources/sample_checksums.h"

namespace surety::data {
namespace {

// Limit of distinct labels. If there are more, labels count as real numbers.
constexpr std::size_t kHistogramMax = 1000;

// Adds a block to the totals. A block of n sparse rows has n + 1 offsets; the extra offset is
// counted once for the whole source.
void count_block(const Samples& block, SourceInfo& info) {
  info.bytes += block.bytes();
  if (info.samples > 0 && !block.row_begin.empty()) info.bytes -= sizeof(block.row_begin[0]);
  info.samples += block.size();
}

// Counts labels. Returns false once there are too many distinct labels.
bool count_labels(const Samples& block, std::map<float, std::uint64_t>& histogram) {
  for (const float label : block.label) {
    ++histogram[label];
    if (histogram.size() > kHistogramMax) {
      histogram.clear();
      return false;
    }
  }
  return true;
}

const std::string& name_of(const SourceInfo& source) {
  return source.name.empty() ? source.url : source.name;
}

}  // namespace

std::string shape_of(const Schema& schema) {
  constexpr const char* kLayouts[] = {"images of bytes", "tables of floats", "sparse rows"};
  return fmt::format("{} ({} x {} x {})", kLayouts[static_cast<std::size_t>(schema.layout)],
                     schema.channels, schema.height, schema.width);
}

bool same_shape(const Schema& a, const Schema& b) {
  if (a.layout != b.layout) return false;
  if (a.layout == Layout::kSparse) return true;
  return a.channels == b.channels && a.height == b.height && a.width == b.width;
}

std::string place_of(const SourceInfo& source) {
  const std::string url = plain_text(source.url, kMessageBytesMax);  // A path may be long.
  return source.name == "validation" ? fmt::format("validation ({})", url)
                                     : fmt::format("data.{} ({})", source.name, url);
}

tl::unexpected<Error> not_as_it_was(const SourceInfo& source, std::string_view found) {
  return fail(ErrorCode::kInvalidInput,
              "{} has changed since the run began: found {}. Restore it and continue with "
              "--resume, or begin another run",
              place_of(source), found);
}

tl::unexpected<Error> not_as_read(const SourceInfo& source, std::string_view found) {
  return fail(ErrorCode::kInvalidInput,
              "{} is not what the coordinator has read: found {}. If this is another machine, give "
              "it the same data (--data-root names their folder). If the data have changed since "
              "the run began, restore them and continue with --resume, or begin another run",
              place_of(source), found);
}

Result<SourceInfo> inspect(const SourceUrl& url, const OpenFile& open, const ReadWatch& watch) {
  SURETY_TRY(const auto reader, open_reader(url, open));
  SourceInfo info;
  info.url = url.text;
  bool counting_labels = true;
  FeatureScales scales;
  LabelMoments labels;
  const auto observe = [&](const Samples& block) -> Result<void> {
    count_block(block, info);
    scales.observe(block, reader->schema());
    labels.observe(block.label);
    append_checksums(block, reader->schema(), info.sample_checksums);
    if (watch) watch(info.samples);
    if (counting_labels) counting_labels = count_labels(block, info.label_histogram);
    return {};
  };
  SURETY_TRY(info.content, read_blocks(*reader, observe));
  if (info.samples == 0) {
    return fail(ErrorCode::kInvalidInput, "{}: found no samples, expected at least one", url.text);
  }
  info.schema = reader->schema();
  info.columns = reader->columns();
  info.hints = {.large_feature = scales.largest(),
                .has_constant_feature = scales.has_constant(),
                .label_mean = labels.mean(),
                .label_deviation = labels.deviation()};
  if (auto& large = info.hints.large_feature) large->name = reader->name_of_feature(large->feature);
  return info;
}

Result<void> check_columns(const SourceInfo& a, const SourceInfo& b) {
  if (a.columns == b.columns) return {};
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < b.columns.size(); ++i) places.emplace(b.columns[i], i);
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const auto found = places.find(a.columns[i]);
    if (found == places.end() || found->second == i) continue;
    const std::size_t place = found->second;
    return fail(ErrorCode::kInvalidInput,
                "data sources {} and {} cannot be combined: column \"{}\" is feature {} of the "
                "first and feature {} of the second, expected the same order of columns",
                name_of(a), name_of(b), plain_text(a.columns[i], kMessageBytesMax), i + 1,
                place + 1);
  }
  return {};
}

std::vector<std::string> feature_names(const std::vector<SourceInfo>& sources) {
  const auto found = std::ranges::find_if(
      sources, [](const SourceInfo& source) { return !source.columns.empty(); });
  return found == sources.end() ? std::vector<std::string>() : found->columns;
}

Result<Schema> common_schema(const std::vector<SourceInfo>& sources) {
  if (sources.empty()) {
    return fail(ErrorCode::kInvalidInput, "found no data source, expected at least one");
  }
  Schema common = sources.front().schema;
  for (const SourceInfo& source : sources) {
    const Schema& schema = source.schema;
    if (!same_shape(common, schema)) {
      return fail(ErrorCode::kInvalidInput,
                  "data sources {} and {} cannot be combined: found {} and {}, expected one kind",
                  name_of(sources.front()), name_of(source), shape_of(sources.front().schema),
                  shape_of(schema));
    }
    SURETY_TRY(check_columns(sources.front(), source));
    common.features = std::max(common.features, schema.features);
    common.width = std::max(common.width, schema.width);
    const bool both_classes = common.classes > 0 && schema.classes > 0;
    common.classes = both_classes ? std::max(common.classes, schema.classes) : 0;
  }
  return common;
}

}  // namespace surety::data
