// A lower bound for the objective of every choice of data sets (data_chain.h).
//
// Coverage is concave in the samples of each label, so it lies below each of its tangent planes,
// and those are additive over sets:
//
//   f(D) <= f(m) / 2 + sum_{d in D} g_d,   g_d = sum_c w_c n_dc / (2 sqrt(m_c)),   for any m > 0,
//
// (the half is particular to the square root). A subset whose passes K lie in [a, b] has f >= the
// coverage f_b at which b passes are needed, and costs at least a pass_price + sum_d (price_d + a
// sample_price n_d): the cheapest that fractions of sets can have with sum g_d >= f_b - f(m) / 2,
// a fractional knapsack. The bound is the least over intervals [a, b] that cover all K; the
// interval that decides is split again and again.
//
// Tighter than marginals at the sets chosen so far (the usual certificate of submodular greedy),
// which do not give back what the chosen ones are worth when they are exchanged.
#pragma once

#include "plan/data_chain.h"

namespace surety::plan {

// REQUIRES: an order of all sets and an objective in `chain`; some cost above 0.
// ENSURES: at most the objective of any subset that is not empty, and of the chain.
// O(entries) for each of at most kSplits (data_bound.cc) intervals.
[[nodiscard]] double lower_bound(const LabelledSets& sets, const DataCosts& costs,
                                 const DataChain& chain);

}  // namespace surety::plan
