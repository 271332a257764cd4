// A lower bound for the objective of every choice of data sets (plan/data/data_chain.h), with which
// tests judge a choice if an exhaustive search is not possible.
//
// Coverage is concave in the samples of each label, so it lies below each of its tangent planes,
// which are additive over sets:
//
//   f(D) <= f(m) / 2 + sum_{d in D} g_d,   g_d = sum_c w_c n_dc / (2 sqrt(m_c)),   for any m > 0,
//
// (the half is specific to the square root). A subset that needs K passes, a <= K <= b, has at
// least the coverage f_b at which b passes are needed. Its objective is at least
//
//   K (pass_price + C / b),   C = sum_{d in D} (price_d + b sample_price n_d),
//
// where C is at least the cost of fractions of sets with sum g_d >= f_b - f(m) / 2, a fractional
// knapsack. This bound is close if there are many sets.
//
// For few sets the gap is closed in two ways. Gains of single sets give another bound: f(D) <=
// f(in) + the sum of what each other set adds to `in` (Nemhauser and Wolsey 1978). And the set that
// the knapsack cuts is branched on. The search is branch and bound over intervals of K and sets. It
// takes the region with the least bound first, and its work is limited. The result is the least
// remaining bound.
#pragma once

#include "plan/data/labelled_sets.h"

namespace surety::plan {

// REQUIRES: an order of all sets and an objective in `chain`; some cost above 0.
// ENSURES: at most the objective of any non-empty subset, and of the chain.
// O(entries + sets log sets) for each of 16 regions; more regions if there are fewer entries.
[[nodiscard]] double lower_bound(const LabelledSets& sets, const DataCosts& costs,
                                 const DataChain& chain);
// The largest share of the chain's objective that a better choice could save; 0..1.
// REQUIRES: an order of all sets and an objective in `chain`; some cost above 0.
[[nodiscard]] double gap(const LabelledSets& sets, const DataCosts& costs, const DataChain& chain);

}  // namespace surety::plan
