// The images of a study in memory: to train on, to decide by, to certify with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/chunk.h"
#include "study.h"

namespace surety::bench {

struct Images {
  data::Schema schema;
  std::map<ChunkId, data::Chunk> chunks;
  data::Samples validation;
};

// Which of the validation images decide in a run, and which certify: disjoint, equally many.
struct Splits {
  std::vector<std::uint32_t> deciding, certifying;
};

// `folder` is what the study's URLs are relative to. InvalidInput where files are missing or hold
// fewer images than the study wants.
[[nodiscard]] Result<Images> load_images(const Study& study, const std::string& folder);

// As in a job of that seed: each run draws its own splits, so that what the certificate differs by
// is a new draw in every run and not one constant of the study.
// InvalidInput where there are fewer validation images than the study wants.
[[nodiscard]] Result<Splits> splits_of(const Study& study, const Images& images,
                                       std::uint64_t seed);

}  // namespace surety::bench
