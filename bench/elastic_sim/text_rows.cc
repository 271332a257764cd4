#include "text_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kTopics = 50;
constexpr double kZipf = 1.05;
constexpr double kFlips = 0.05;

// Draws ranks by Zipf's law, by inverting the cumulative weights.
class Zipf {
 public:
  explicit Zipf(std::uint32_t count) {
    double sum = 0;
    for (std::uint32_t rank = 1; rank <= count; ++rank)
      sums_.push_back(sum += std::pow(rank, -kZipf));
  }
  std::uint32_t draw(Random& random) const {
    const double at = random.uniform() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    return static_cast<std::uint32_t>(
        std::min<std::ptrdiff_t>(found - sums_.begin(), std::ssize(sums_) - 1));
  }

 private:
  std::vector<double> sums_;
};

}  // namespace

TextRows text_rows(std::uint32_t rows, std::uint32_t features, std::uint64_t seed) {
  Random random(seed);
  const Zipf zipf(features);
  std::vector<double> truth(features);
  std::vector<double> rarity(features);
  for (std::uint32_t f = 0; f < features; ++f) {
    truth[f] = random.normal();
    rarity[f] = std::log(2.0 + f);
  }
  TextRows data;
  data.features = features;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t topic = random.below(kTopics);
    std::map<std::uint32_t, double> words;
    const std::uint64_t length = 13 + random.below(25);
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint32_t rank = zipf.draw(random);
      // A topic has its own order of the vocabulary.
      const std::uint64_t word = i % 2 == 0 ? rank : mix64(topic * 1000003 + rank) % features;
      words[static_cast<std::uint32_t>(word)] += 1;
    }
    double square = 0;
    double margin = 0;
    for (auto& [word, weight] : words) {
      weight = (1 + std::log(weight)) * rarity[word];
      square += weight * weight;
    }
    for (const auto& [word, weight] : words) {
      const double value = weight / std::sqrt(square);
      data.feature.push_back(word);
      data.value.push_back(static_cast<float>(value));
      margin += value * truth[word];
    }
    data.begin.push_back(static_cast<std::uint32_t>(data.feature.size()));
    const bool positive = (margin > 0) != (random.uniform() < kFlips);
    data.label.push_back(positive ? 1.0f : -1.0f);
  }
  return data;
}

}  // namespace surety::bench
