#include "images.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "data/posix/open.h"
#include "data/split.h"

namespace surety::bench {
namespace {

constexpr std::uint64_t kChunkBytes = 1 << 20;
constexpr std::uint32_t kChunks = 8;        // At least: what a small cluster would have.
constexpr std::size_t kReadAll = 1u << 20;  // More samples than any validation file has.

// The first images of the training files, as chunks.
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
  return images;
}

Result<Splits> splits_of(const Study& study, const Images& images, std::uint64_t seed) {
  Splits splits;
  for (std::uint32_t i = 0; i < images.validation.size(); ++i) {
    const bool decides = data::split_of(i, seed) == data::Split::kDecide;
    auto& split = decides ? splits.deciding : splits.certifying;
    if (split.size() < study.validation_images) split.push_back(i);
  }
  const std::size_t fewest = std::min(splits.deciding.size(), splits.certifying.size());
  if (fewest == study.validation_images) return splits;
  return fail(ErrorCode::kInvalidInput, "{}: found {} images in a validation split, expected {}",
              study.name, fewest, study.validation_images);
}

}  // namespace surety::bench
