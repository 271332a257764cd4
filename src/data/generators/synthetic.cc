#include "data/generators/synthetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/check.h"
#include "base/random.h"
#include "data/generators/url_options.h"

namespace surety::data {
namespace {

std::map<std::uint32_t, std::uint32_t> draw_words(const SyntheticOptions& options, Random& random) {
  const std::uint64_t least = std::max(1u, options.nonzeros / 2);
  const std::uint64_t count = least + random.below(options.nonzeros + 1ull);
  const double spread = std::log(options.features + 1.0);
  std::map<std::uint32_t, std::uint32_t> words;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double rank = std::floor(std::exp(random.uniform() * spread)) - 1;
    ++words[std::min(static_cast<std::uint32_t>(rank), options.features - 1)];
  }
  return words;
}

}  // namespace

Result<SyntheticOptions> parse_synthetic_options(const SourceUrl& url) {
  SyntheticOptions options;
  std::uint64_t features = options.features;
  std::uint64_t nonzeros = options.nonzeros;
  SURETY_TRY(take_uint(url, "samples", 1, 1'000'000'000, options.samples));
  SURETY_TRY(take_uint(url, "seed", 0, std::numeric_limits<std::uint64_t>::max(), options.seed));
  SURETY_TRY(take_uint(url, "features", 1, 100'000'000, features));
  SURETY_TRY(take_uint(url, "nonzeros", 1, 100'000, nonzeros));
  SURETY_TRY(take_uint(url, "first", 0, 1'000'000'000'000'000, options.first));
  SURETY_TRY(take_share(url, "label_noise", options.label_noise));
  options.features = static_cast<std::uint32_t>(features);
  options.nonzeros = static_cast<std::uint32_t>(nonzeros);
  return options;
}

SyntheticRow draw_row(const SyntheticOptions& options, std::uint64_t index) {
  SURETY_CHECK(options.features >= 1 && options.nonzeros >= 1);
  const Random origin(options.seed);
  Random random = origin.fork("row", index);
  SyntheticRow row;
  double square = 0;
  double margin = 0;
  for (const auto& [word, times] : draw_words(options, random)) {
    const double value = (1 + std::log(times)) * (1 + std::log(1.0 + word));
    row.index.push_back(word);
    row.value.push_back(static_cast<float>(value));
    square += value * value;
    margin += value * origin.fork("truth", word).normal();
  }
  const double scale = 1 / std::sqrt(square);
  for (float& value : row.value) value = static_cast<float>(value * scale);
  row.truth = margin > 0 ? 1.0f : -1.0f;
  row.label = random.uniform() < options.label_noise ? -row.truth : row.truth;
  return row;
}

}  // namespace surety::data
