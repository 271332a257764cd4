#include "bench/studies/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/random.h"
#include "data/formats/open_reader.h"
#include "data/posix/open.h"
#include "data/url.h"

namespace surety::bench {
namespace {

constexpr std::uint64_t kChunkBytes = 1 << 20;
constexpr std::uint32_t kChunks = 8;        // Minimum number of chunks, as in a small cluster.
constexpr std::size_t kReadAll = 1u << 20;  // More samples than any validation file has.

// If this seed changed, all recordings would have other parts, and would have to be made again.
constexpr std::uint64_t kPartsSeed = 4;

std::uint64_t content_of(std::uint64_t before, const data::Samples& samples) {
  for (const std::uint64_t part : {checksum_of(std::span<const std::uint8_t>(samples.u8)),
                                   checksum_of(std::span<const float>(samples.f32)),
                                   checksum_of(std::span<const float>(samples.label))}) {
    before = mix64(before ^ part);
  }
  return before;
}

// Loads the first images of the training files, as chunks.
Result<std::map<ChunkId, data::Chunk>> load_training(const Study& study,
                                                     const data::OpenFile& open) {
  std::vector<data::SourceInfo> sources;
  std::uint64_t left = study.images;
  for (const std::string& text : study.train) {
    if (left == 0) break;
    SURETY_TRY(const data::SourceUrl url, data::parse_url(text));
    SURETY_TRY(data::SourceInfo source, data::inspect(url, open));
    source.bytes = source.bytes / source.samples * std::min(source.samples, left);
    source.samples = std::min(source.samples, left);
    left -= source.samples;
    sources.push_back(std::move(source));
  }
  if (left > 0) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} training images, expected {}", study.name,
                study.images - left, study.images);
  }
  SURETY_TRY(std::vector<data::Chunk> chunks,
             data::load_chunks(sources, data::cut(sources, kChunkBytes, kChunks), open));
  std::map<ChunkId, data::Chunk> by_id;
  for (data::Chunk& chunk : chunks) by_id.emplace(chunk.range.id, std::move(chunk));
  return by_id;
}

}  // namespace

Result<Images> load_images(const Study& study, const std::string& folder) {
  const data::OpenFile open = data::local_files(folder);
  Images images;
  SURETY_TRY(images.chunks, load_training(study, open));
  SURETY_TRY(const data::SourceUrl url, data::parse_url(study.validation));
  SURETY_TRY(const auto reader, data::open_reader(url, open));
  SURETY_TRY(const std::size_t count, reader->read(kReadAll, images.validation));
  SURETY_CHECK(count == images.validation.size());
  images.schema = reader->schema();
  std::uint64_t content = 0;
  for (const auto& [id, chunk] : images.chunks) content = content_of(content, chunk.samples);
  images.content = fmt::format("{:016x}", content_of(content, images.validation));
  return images;
}

Result<Parts> parts_of(const Study& study, std::size_t validation_images) {
  const std::size_t each = images_of_part(study);
  if (validation_images < kParts * each) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} validation images, expected {}", study.name,
                validation_images, kParts * each);
  }
  std::vector<std::uint32_t> order(validation_images);
  std::iota(order.begin(), order.end(), 0u);
  Random(kPartsSeed).shuffle(std::span(order));
  Parts parts;
  for (std::size_t i = 0; i < kParts * each; ++i) parts[i / each].push_back(order[i]);
  for (std::vector<std::uint32_t>& part : parts) std::ranges::sort(part);
  return parts;
}

}  // namespace surety::bench
