// Which data sets first: the density chain, and how far it may be from the cheapest subset.
//
// The coverage of a subset D is concave in the samples of each label, so that the tenth site with
// the same labels is worth less than the first:
//
//   f(D) = sum_c (N_c / N) sqrt(n_c(D) / N_c),   n_c: samples of label c in D, N_c: that there are.
//
// Better coverage needs fewer passes, more samples make a pass dearer, and data may have a price:
//
//   objective(D) = price(D) + K(f(D)) (pass_price + sample_price n(D)),   K(f) = passes
//   f^-exponent.
//
// f is submodular, the objective neither that nor supermodular, so greedy on it has no bound. The
// chain is greedy on f by gain per cost (Sviridenko 2004; lazily, Minoux 1978) and then takes its
// best prefix: where data has no price within (1 - 1/e)^-exponent (1 + largest cost / cost of the
// best) of the optimum. Few sets are lumpy, so among those the best prefix is improved by exchanges
// (data_exchange.h). What an instance really leaves to be saved is far less, and certified by a
// bound (data_bound.h).
//
// Pure functions on dense indices: names and histograms are data_select.h's.
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

// Data sets as samples by label. Ties everywhere go to the set that was added first.
class LabelledSets {
 public:
  // `label_samples`: N_c by label, what full coverage means; a label with 0 counts for nothing.
  explicit LabelledSets(const std::vector<double>& label_samples);

  // REQUIRES: labels in range, none twice; numbers finite and not negative.
  void add(std::span<const LabelSamples> labels, double samples, double price);

  [[nodiscard]] std::size_t size() const { return samples_.size(); }
  [[nodiscard]] std::size_t labels() const { return weights_.size(); }
  [[nodiscard]] std::span<const LabelSamples> entries(std::size_t set) const {
    return std::span(entries_).subspan(first_[set], first_[set + 1] - first_[set]);
  }
  [[nodiscard]] double samples(std::size_t set) const { return samples_[set]; }
  [[nodiscard]] double price(std::size_t set) const { return prices_[set]; }
  // Coverage is the sum over labels of this times sqrt(samples kept).
  [[nodiscard]] double weight(std::size_t label) const { return weights_[label]; }

 private:
  std::vector<double> weights_;           // By label.
  std::vector<std::size_t> first_ = {0};  // Where a set's entries begin; one more at the end.
  std::vector<LabelSamples> entries_;     // Of all sets, one after the other; add() adds.
  std::vector<double> samples_, prices_;  // By set; add() adds.
};

// What training on data costs.
struct DataCosts {
  double sample_price = 0;  // Of one sample in one pass.
  double pass_price = 0;    // Of one pass, whatever the data: its evaluation.
  double passes = 20;       // To the target at full coverage; above 0.
  double exponent = 0.5;    // How passes grow as coverage falls; above 0.
};

// K(f). Nothing is covered worse than 1e-6, so that it is finite.
[[nodiscard]] double passes_at(const DataCosts& costs, double coverage);

[[nodiscard]] double objective(const LabelledSets& sets, const DataCosts& costs,
                               std::span<const std::size_t> chosen);

struct DataChain {
  std::vector<std::size_t> order;  // Of all sets.
  // Sets after these are in no optimum: with any of them alone the least passes that there can be
  // already cost more than the best prefix.
  std::size_t worthwhile = 0;
  std::size_t best = 0;    // Length of the prefix with the lowest objective (the shorter one).
  double objective = 0;    // Of that prefix.
  double lower_bound = 0;  // Of the objective of every subset that is not empty.
  // Share of the objective that a better choice could save at most; 0..1.
  [[nodiscard]] double gap() const { return objective > 0 ? 1 - lower_bound / objective : 0; }
};

// The order is that of greedy without a heap, up to 400 sets; beyond, where many are alike, what is
// later in the chain is only about as dense as the densest that is left. Then the sets of the best
// prefix come first and those that are not worthwhile last, each in that order. Where nothing costs
// anything, samples stand for cost. About O(entries log n).
[[nodiscard]] DataChain density_chain(const LabelledSets& sets, DataCosts costs);

}  // namespace surety::plan
