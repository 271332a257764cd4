// The order in which data sets are used: the density chain, with a bound on its distance from the
// cheapest subset.
//
// The coverage of a subset D is concave in the samples of each label: the tenth site with the same
// labels adds less than the first.
//
//   f(D) = sum_c (N_c / N) sqrt(n_c(D) / N_c),   n_c: samples of label c in D, N_c: in all data.
//
// Better coverage needs fewer passes, more samples make a pass more expensive, and data may have a
// price:
//
//   objective(D) = price(D) + K(f(D)) (pass_price + sample_price n(D)),
//   K(f) = passes f^-exponent
//
// f is submodular. The objective is neither submodular nor supermodular, so a greedy choice by the
// objective has no bound. The chain is greedy on f by gain per cost (Sviridenko 2004; lazily,
// Minoux 1978), and its best prefix is taken. If data has no price, this is within (1 -
// 1/e)^-exponent (1 + largest cost / cost of the best) of the optimum.
//
// With few sets a single set matters much, so the best prefix is then improved by exchanges
// (data_exchange.h). The possible savings in real instances are far smaller, as a lower bound shows
// in the tests (test/support/plan/data/data_bound.h).
//
// Pure functions on dense indices. Names and histograms are handled in data_select.h.
#pragma once

#include <cstddef>
#include <span>

#include "plan/data/labelled_sets.h"

namespace surety::plan {

[[nodiscard]] double objective(const LabelledSets& sets, const DataCosts& costs,
                               std::span<const std::size_t> chosen);

// Up to 400 sets the order is that of the greedy algorithm without a heap. With more sets, if many
// are similar, later sets in the chain are only about as dense as the densest remaining one. Then
// the sets of the best prefix come first, and those that are not worthwhile come last; each group
// keeps its order. If nothing has a cost, samples are used as cost. The cost is about O(entries log
// n).
[[nodiscard]] DataChain density_chain(const LabelledSets& sets, DataCosts costs);

}  // namespace surety::plan
