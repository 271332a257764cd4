#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.h"
#include "datasets.h"
#include "row_builder.h"

namespace surety::bench {
namespace {

// Draws ranks 0..n-1 with probability proportional to 1 / (rank + 1)^exponent. O(log n) a draw.
class Zipf {
 public:
  Zipf(std::uint32_t n, double exponent) : cumulative_(n) {
    double sum = 0;
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      cumulative_[rank] = sum += std::pow(rank + 1.0, -exponent);
    }
  }
  [[nodiscard]] std::uint32_t draw(Random& random) const {
    const double at = random.uniform() * cumulative_.back();
    const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end(), at);
    return static_cast<std::uint32_t>(found - cumulative_.begin());
  }
  [[nodiscard]] double probability(std::uint32_t rank) const {
    return (cumulative_[rank] - (rank > 0 ? cumulative_[rank - 1] : 0)) / cumulative_.back();
  }

 private:
  std::vector<double> cumulative_;
};

double dot(const std::vector<Entry>& row, const std::vector<double>& model) {
  double sum = 0;
  for (const auto& [feature, weight] : row) sum += weight * model[feature];
  return sum;
}

float sign_with_flips(double margin, double flips, Random& random) {
  const bool flipped = random.uniform() < flips;
  return (margin > 0) != flipped ? 1.0f : -1.0f;
}

std::vector<double> normal_vector(std::uint32_t size, Random random) {
  std::vector<double> values(size);
  for (double& value : values) value = random.normal();
  return values;
}

}  // namespace

Dataset draw_sparse(std::uint32_t rows) {
  static constexpr std::uint32_t kFeatures = 100000;
  static constexpr std::uint32_t kTopics = 50;
  static constexpr std::uint32_t kWordsMin = 16;  // Words drawn for a row, repetitions included.
  static constexpr std::uint32_t kWordsMax = 66;
  Random random(20240501);
  const Zipf words(kFeatures, 1.05);
  const std::vector<double> model = normal_vector(kFeatures, random.fork("model"));
  // Each topic has its own words for the ranks. Half of a row comes from its topic, half from the
  // whole vocabulary.
  std::vector<std::uint32_t> shift(kTopics);
  for (std::uint32_t& s : shift) s = static_cast<std::uint32_t>(random.below(kFeatures));
  Dataset set{
      .name = "sparse",
      .schema = {.layout = data::Layout::kSparse, .width = kFeatures, .features = kFeatures},
      .samples = {}};
  std::vector<Entry> row;
  for (std::uint32_t i = 0; i < rows; ++i) {
    row.clear();
    const std::uint32_t topic = static_cast<std::uint32_t>(random.below(kTopics));
    const std::uint64_t count = kWordsMin + random.below(kWordsMax - kWordsMin);
    for (std::uint64_t word = 0; word < count; ++word) {
      const std::uint32_t rank = words.draw(random);
      const bool of_topic = random.uniform() < 0.5;
      const std::uint32_t feature = of_topic ? (rank + shift[topic]) % kFeatures : rank;
      row.emplace_back(feature, -std::log(words.probability(rank)));
    }
    merge_entries(row);
    append_unit_row(row, sign_with_flips(dot(row, model), 0.07, random), set.samples);
  }
  return set;
}

Dataset draw_dense(std::uint32_t rows) {
  static constexpr std::uint32_t kFeatures = 1000;
  static constexpr std::uint32_t kFactors = 96;
  Random random(20240502);
  const std::vector<double> model = normal_vector(kFeatures, random.fork("model"));
  std::vector<std::vector<double>> factors;
  for (std::uint32_t k = 0; k < kFactors; ++k) {
    factors.push_back(normal_vector(kFeatures, random.fork("factor", k)));
    for (double& value : factors[k]) value *= 2 / std::sqrt(1.0 + k);
  }
  Dataset set{
      .name = "dense",
      .schema = {.layout = data::Layout::kDenseF32, .width = kFeatures, .features = kFeatures},
      .samples = {}};
  set.samples.f32.reserve(std::size_t{rows} * kFeatures);
  std::vector<double> x(kFeatures);
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (double& value : x) value = 2 * random.normal();
    for (const std::vector<double>& factor : factors) {
      const double strength = random.normal();
      for (std::uint32_t f = 0; f < kFeatures; ++f) x[f] += strength * factor[f];
    }
    const double length = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    const double margin = std::inner_product(x.begin(), x.end(), model.begin(), 0.0) / length;
    for (const double value : x) set.samples.f32.push_back(static_cast<float>(value / length));
    const double noise = 0.2 * random.normal();
    set.samples.label.push_back(sign_with_flips(margin + noise, 0.05, random));
  }
  return set;
}

Dataset draw_invented_text(std::uint32_t rows) {
  static constexpr std::uint32_t kFeatures = 1u << 17;
  Random random(20240503);
  const Zipf words(20000, 1.1);
  const std::vector<double> model = normal_vector(kFeatures, random.fork("model"));
  Dataset set{
      .name = "text",
      .schema = {.layout = data::Layout::kSparse, .width = kFeatures, .features = kFeatures},
      .samples = {}};
  std::vector<Entry> row;
  for (std::uint32_t i = 0; i < rows; ++i) {
    row.clear();
    std::uint64_t before = 0;
    const std::uint64_t count = 4 + random.below(18);
    for (std::uint64_t word = 0; word < count; ++word) {
      const std::uint64_t token = mix64(words.draw(random));
      row.emplace_back(token % kFeatures, 1.0);
      if (word > 0) row.emplace_back(mix64(before ^ (token * 31)) % kFeatures, 1.0);
      before = token;
    }
    merge_entries(row);
    for (Entry& entry : row) entry.second = std::log1p(entry.second);
    append_unit_row(row, sign_with_flips(dot(row, model) - 1, 0.07, random), set.samples);
  }
  return set;
}

}  // namespace surety::bench
