#include "data/sources/chunk.h"

#include <algorithm>
#include <limits>
#include <new>
#include <type_traits>

#include "base/check.h"
#include "base/units.h"
#include "data/formats/open_reader.h"
#include "data/sources/blocks.h"
#include "data/sources/sample_checksums.h"
#include "data/url.h"

namespace surety::data {
namespace {

constexpr std::uint64_t kCountMax = std::numeric_limits<std::uint32_t>::max();

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// Number of chunks of a source such that each has at most bytes_target bytes, or one sample.
std::uint64_t pieces_by_bytes(const SourceInfo& source, std::uint64_t bytes_target) {
  if (source.samples == 0) return 0;
  const std::uint64_t bytes_per_sample = std::max<std::uint64_t>(source.bytes / source.samples, 1);
  const std::uint64_t samples =
      std::clamp<std::uint64_t>(bytes_target / bytes_per_sample, 1, kCountMax);
  return divided_up(source.samples, samples);
}

// Adds pieces one at a time to the source whose pieces have the most samples (if equal, the first
// one), until there are pieces_min pieces or every piece has one sample.
void raise_to(std::uint32_t pieces_min, const std::vector<SourceInfo>& sources,
              std::vector<std::uint64_t>& pieces) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : pieces) total += count;
  for (; total < pieces_min; ++total) {
    std::size_t largest = sources.size();
    std::uint64_t largest_samples = 1;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (pieces[i] == 0) continue;
      const std::uint64_t samples = divided_up(sources[i].samples, pieces[i]);
      if (samples > largest_samples) {
        largest = i;
        largest_samples = samples;
      }
    }
    if (largest == sources.size()) return;
    ++pieces[largest];
  }
}

// The checksum of these samples, if the source was read by this process.
std::optional<std::uint64_t> content_of(const SourceInfo& source, std::uint64_t first,
                                        std::uint64_t count) {
  if (source.sample_checksums.empty()) return std::nullopt;
  return chunk_checksum(std::span(source.sample_checksums).subspan(first, count));
}

// Adds the chunks of a piece, which begins at `first` and has `count` samples.
void cut_piece(std::uint32_t index, const SourceInfo& source, std::uint64_t first,
               std::uint64_t count, std::uint32_t parts, std::vector<ChunkRange>& ranges) {
  const std::uint64_t chunks = std::min<std::uint64_t>(parts, count);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const std::uint64_t samples = count / chunks + (i < count % chunks ? 1 : 0);
    const double share = static_cast<double>(samples) / static_cast<double>(source.samples);
    ranges.push_back(
        {.id = ChunkId{static_cast<std::uint32_t>(ranges.size())},
         .source = index,
         .first = first,
         .count = static_cast<std::uint32_t>(samples),
         .bytes = static_cast<std::uint64_t>(share * static_cast<double>(source.bytes)),
         .content = content_of(source, first, samples)});
    first += samples;
  }
}

// Pieces of nearly equal size, and chunks of nearly equal size in each of them.
void cut_source(std::uint32_t index, const SourceInfo& source, std::uint64_t pieces,
                std::uint32_t parts, std::vector<ChunkRange>& ranges) {
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t count = source.samples / pieces + (i < source.samples % pieces ? 1 : 0);
    cut_piece(index, source, first, count, parts, ranges);
    first += count;
  }
  SURETY_CHECK(first == source.samples);
}

// The source could be read when the run began. So InvalidInput means that the source has changed
// since then, or that this machine has another file under its name.
tl::unexpected<Error> unread(const SourceInfo& source, const Error& error) {
  if (error.code == ErrorCode::kInvalidInput) return not_as_read(source, error.message);
  return fail_in(error, "{}", place_of(source));
}

// Checks what solvers rely on: indices below `features`, labels below `classes`.
Result<void> check_unchanged(const SourceInfo& source, const Schema& now, const Samples& samples) {
  const Schema& then = source.schema;
  if (now.layout != then.layout || now.features > then.features ||
      (then.layout != Layout::kSparse && now.features != then.features)) {
    return not_as_read(source,
                       fmt::format("{} features, expected {}", now.features, then.features));
  }
  if (then.classes == 0) return {};
  for (const float label : samples.label) {
    const bool is_class = label >= 0 && label < static_cast<float>(then.classes);
    if (!is_class || label != static_cast<float>(static_cast<std::uint32_t>(label))) {
      return not_as_read(source,
                         fmt::format("label {}, expected 0 to {}", label, then.classes - 1));
    }
  }
  return {};
}

// Compares the samples of a chunk with those that the coordinator has read.
Result<void> check_content(const SourceInfo& source, const ChunkRange& range, const Schema& schema,
                           const Samples& samples) {
  if (!range.content || chunk_checksum(samples, schema) == *range.content) return {};
  return not_as_read(source, fmt::format("other values in samples {} to {}", range.first + 1,
                                         range.first + range.count));
}

// Copies the samples without spare capacity, because chunks stay in memory for the whole run.
Result<Samples> kept_in(std::pmr::memory_resource* memory, const Samples& samples) {
  try {
    return Samples{.u8{samples.u8, memory},
                   .f32{samples.f32, memory},
                   .index{samples.index, memory},
                   .row_begin{samples.row_begin, memory},
                   .label{samples.label, memory}};
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kUnavailable, "not enough memory for {} of samples",
                format_bytes(samples.bytes()));
  }
}

Result<void> check_not_stopped(const Loading& loading) {
  if (loading.stop == nullptr || !*loading.stop) return {};
  return fail(ErrorCode::kUnavailable, "reading was stopped");
}

// Skips samples in pieces, between which reading may be stopped. Returns the number of skipped
// samples.
Result<std::uint64_t> skip(Reader& reader, std::uint64_t samples, const Loading& loading) {
  constexpr std::uint64_t kPiece = 10'000;
  std::uint64_t skipped = 0;
  while (skipped < samples) {
    SURETY_TRY(check_not_stopped(loading));
    SURETY_TRY(const std::uint64_t piece, reader.skip(std::min(kPiece, samples - skipped)));
    if (piece == 0) break;
    skipped += piece;
  }
  return skipped;
}

// Reads the chunks of one source. REQUIRES: `ranges` are of that source, in its order.
Result<void> load_source(const SourceInfo& source, std::span<const ChunkRange> ranges,
                         const OpenFile& open, const Loading& loading, std::vector<Chunk>& chunks) {
  SURETY_TRY(const SourceUrl url, parse_url(source.url));
  const auto reader = open_reader(url, open);
  if (!reader) return unread(source, reader.error());
  std::uint64_t at = 0;
  for (const ChunkRange& range : ranges) {
    SURETY_CHECK(range.first >= at && range.count > 0);
    const auto skipped = skip(**reader, range.first - at, loading);
    if (!skipped) return unread(source, skipped.error());
    at += *skipped;
    SURETY_TRY(check_not_stopped(loading));
    Samples samples;
    if (at == range.first) {
      const auto count = (*reader)->read(range.count, samples);
      if (!count) return unread(source, count.error());
      at += *count;
    }
    if (at != range.first + range.count) {
      return not_as_read(source, fmt::format("{} samples, expected {}", at, source.samples));
    }
    SURETY_TRY(check_unchanged(source, (*reader)->schema(), samples));
    SURETY_TRY(check_content(source, range, (*reader)->schema(), samples));
    SURETY_TRY(Samples kept, kept_in(loading.memory, samples));
    chunks.push_back({.range = range, .samples = std::move(kept), .state = {}});
  }
  return {};
}

// A copy of the samples begin..end-1. REQUIRES: begin < end <= samples.size().
Samples part_of(const Samples& samples, const Schema& schema, std::size_t begin, std::size_t end) {
  const auto copy = [](const auto& values, std::size_t first, std::size_t last) {
    return std::remove_cvref_t<decltype(values)>(
        values.begin() + static_cast<std::ptrdiff_t>(first),
        values.begin() + static_cast<std::ptrdiff_t>(last));
  };
  Samples part;
  part.label = copy(samples.label, begin, end);
  const std::size_t features = schema.features;
  if (schema.layout == Layout::kDenseU8) {
    part.u8 = copy(samples.u8, begin * features, end * features);
  } else if (schema.layout == Layout::kDenseF32) {
    part.f32 = copy(samples.f32, begin * features, end * features);
  } else {
    const std::uint64_t first = samples.row_begin[begin];
    part.f32 = copy(samples.f32, first, samples.row_begin[end]);
    part.index = copy(samples.index, first, samples.row_begin[end]);
    part.row_begin = copy(samples.row_begin, begin, end + 1);
    for (std::uint64_t& offset : part.row_begin) offset -= first;
  }
  return part;
}

// Passes the parts of the chunks that are in a block to a function.
class BlockVisitor {
 public:
  BlockVisitor(const SourceInfo& source, std::span<const ChunkRange> ranges,
               const std::function<Result<void>(Chunk part)>& visit)
      : source_(source), left_(ranges), visit_(visit) {}

  Result<void> visit(const Samples& block, const Schema& schema) {
    SURETY_TRY(check_unchanged(source_, schema, block));
    const std::uint64_t end = begin_ + block.size();
    while (!left_.empty() && left_.front().first < end) {
      const ChunkRange& range = left_.front();
      SURETY_CHECK(range.count > 0 && range.first + range.count > begin_);
      Chunk part{.range = range, .samples = {}, .state = {}};
      part.range.content.reset();  // It is that of the whole chunk.
      part.range.first = std::max(range.first, begin_);
      const std::uint64_t part_end = std::min(range.first + range.count, end);
      part.range.count = static_cast<std::uint32_t>(part_end - part.range.first);
      part.samples = part_of(block, schema, part.range.first - begin_, part_end - begin_);
      SURETY_TRY(visit_(std::move(part)));
      if (range.first + range.count > end) break;
      left_ = left_.subspan(1);
    }
    begin_ = end;
    return {};
  }

 private:
  const SourceInfo& source_;
  std::span<const ChunkRange> left_;
  const std::function<Result<void>(Chunk part)>& visit_;
  std::uint64_t begin_ = 0;  // Index of the first sample of the next block.
};

// Reads a whole source, and passes the parts of these chunks to `visit`.
Result<void> visit_source(const SourceInfo& source, std::span<const ChunkRange> ranges,
                          const OpenFile& open,
                          const std::function<Result<void>(Chunk part)>& visit) {
  SURETY_TRY(const SourceUrl url, parse_url(source.url));
  const auto reader = open_reader(url, open);
  if (!reader) return unread(source, reader.error());
  BlockVisitor visitor(source, ranges, visit);
  Result<void> visited;
  const auto content = read_blocks(**reader, [&](const Samples& block) {
    visited = visitor.visit(block, (*reader)->schema());
    return visited;
  });
  if (!visited) return visited;
  if (!content) return unread(source, content.error());
  if (*content == source.content) return {};
  return not_as_it_was(source, "other samples than before");
}

// Calls `visit` once for each source, with its ranges. REQUIRES: ranges ascending by id.
Result<void> for_each_source(
    std::span<const ChunkRange> ranges,
    const std::function<Result<void>(std::span<const ChunkRange> of_one)>& visit) {
  while (!ranges.empty()) {
    const auto other = std::ranges::find_if(
        ranges, [&](const ChunkRange& range) { return range.source != ranges.front().source; });
    const auto count = static_cast<std::size_t>(other - ranges.begin());
    SURETY_TRY(visit(ranges.first(count)));
    ranges = ranges.subspan(count);
  }
  return {};
}

}  // namespace

std::vector<ChunkRange> cut(const std::vector<SourceInfo>& sources, std::uint64_t bytes_target,
                            std::uint32_t pieces_min, std::uint32_t parts) {
  SURETY_CHECK(parts > 0);
  std::vector<std::uint64_t> pieces;
  std::uint64_t total = 0;
  for (const SourceInfo& source : sources) {
    pieces.push_back(pieces_by_bytes(source, bytes_target));
    total += pieces.back();
  }
  SURETY_CHECK(total * parts <= kCountMax);
  raise_to(pieces_min, sources, pieces);

  std::vector<ChunkRange> ranges;
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    cut_source(i, sources[i], pieces[i], parts, ranges);
  }
  return ranges;
}

Result<std::vector<Chunk>> load_chunks(const std::vector<SourceInfo>& sources,
                                       const std::vector<ChunkRange>& ranges, const OpenFile& open,
                                       const Loading& loading) {
  std::vector<Chunk> chunks;
  SURETY_TRY(for_each_source(ranges, [&](std::span<const ChunkRange> of_one) {
    SURETY_CHECK(of_one.front().source < sources.size());
    return load_source(sources[of_one.front().source], of_one, open, loading, chunks);
  }));
  return chunks;
}

Result<void> visit_chunks(const std::vector<SourceInfo>& sources,
                          const std::vector<ChunkRange>& ranges, const OpenFile& open,
                          const std::function<Result<void>(Chunk part)>& visit) {
  return for_each_source(ranges, [&](std::span<const ChunkRange> of_one) {
    SURETY_CHECK(of_one.front().source < sources.size());
    return visit_source(sources[of_one.front().source], of_one, open, visit);
  });
}

}  // namespace surety::data
