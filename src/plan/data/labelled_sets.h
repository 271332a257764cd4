// Data sets as samples by label, what training on them costs, and an order of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace surety::plan {

struct LabelSamples {
  std::uint32_t label = 0;
  double samples = 0;
};

// Data sets as samples by label. Ties always go to the set that was added first.
class LabelledSets {
 public:
  // `label_samples`: N_c by label, which defines full coverage. A label with 0 is ignored.
  explicit LabelledSets(const std::vector<double>& label_samples);

  // REQUIRES: labels in range, none given twice; numbers finite and not negative.
  void add(std::span<const LabelSamples> labels, double samples, double price);

  [[nodiscard]] std::size_t size() const { return samples_.size(); }
  [[nodiscard]] std::size_t labels() const { return weights_.size(); }
  [[nodiscard]] std::span<const LabelSamples> entries(std::size_t set) const {
    return std::span(entries_).subspan(first_[set], first_[set + 1] - first_[set]);
  }
  [[nodiscard]] double samples(std::size_t set) const { return samples_[set]; }
  [[nodiscard]] double price(std::size_t set) const { return prices_[set]; }
  // Coverage is the sum over labels of this weight times sqrt(samples in the subset).
  [[nodiscard]] double weight(std::size_t label) const { return weights_[label]; }

 private:
  std::vector<double> weights_;  // One entry for each label.
  // Index of each set's first entry, and one more at the end.
  std::vector<std::size_t> first_ = {0};
  // Entries of all sets, one set after the other; filled by add().
  std::vector<LabelSamples> entries_;
  std::vector<double> samples_;  // One entry for each set; filled by add().
  std::vector<double> prices_;   // One entry for each set; filled by add().
};

// Costs of training on data.
struct DataCosts {
  double sample_price = 0;  // Price of one sample in one pass.
  double pass_price = 0;    // Price of the evaluation after one pass, for any data.
  double passes = 20;       // Passes to the target at full coverage; above 0.
  double exponent = 0.5;    // How fast passes grow as coverage falls; above 0.
};

// K(f). Coverage counts as at least 1e-6, so that the result is finite.
[[nodiscard]] double passes_at(const DataCosts& costs, double coverage);

struct DataChain {
  std::vector<std::size_t> order;  // Contains all sets.
  // Number of sets, from the start of the order, that may be in an optimum. The others are in none:
  // with any of them alone, the least possible number of passes costs more than the best prefix.
  std::size_t worthwhile = 0;
  // Length of the prefix with the lowest objective; the shorter one if equal.
  std::size_t best = 0;
  double objective = 0;  // Objective of that prefix.
};

}  // namespace surety::plan
