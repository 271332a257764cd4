// The images of a study in memory: to train on, and to evaluate with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/studies/recording.h"
#include "bench/studies/study.h"
#include "data/chunk.h"

namespace surety::bench {

struct Images {
  data::Schema schema;
  std::map<ChunkId, data::Chunk> chunks;
  data::Samples validation;
  std::string content;  // Checksum of both, in hexadecimal digits.
};

// Indices into the validation images, rising.
using Parts = std::array<std::vector<std::uint32_t>, kParts>;

// `folder` is what the study's URLs are relative to. InvalidInput where files are missing or hold
// fewer images than the study wants.
[[nodiscard]] Result<Images> load_images(const Study& study, const std::string& folder);

// A division at random that is always the same one, of so many validation images, into parts of one
// size.
// InvalidInput where there are fewer validation images than the study wants.
[[nodiscard]] Result<Parts> parts_of(const Study& study, std::size_t validation_images);

}  // namespace surety::bench
