// The images of a study in memory, for training and for evaluation.
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
#include "data/sources/chunk.h"

namespace surety::bench {

struct Images {
  data::Schema schema;
  std::map<ChunkId, data::Chunk> chunks;
  data::Samples validation;
  std::string content;  // Checksum of the training and validation images, in hexadecimal digits.
};

// Indices into the validation images, ascending.
using Parts = std::array<std::vector<std::uint32_t>, kParts>;

// `folder` is the folder to which the study's URLs are relative. InvalidInput if files are missing
// or hold fewer images than the study needs.
[[nodiscard]] Result<Images> load_images(const Study& study, const std::string& folder);

// A random but fixed division of this many validation images into parts of one size.
// InvalidInput if there are fewer validation images than the study needs.
[[nodiscard]] Result<Parts> parts_of(const Study& study, std::size_t validation_images);

}  // namespace surety::bench
