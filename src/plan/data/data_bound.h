// A lower bound for the objective of every choice of data sets (data_chain.h).
//
// Coverage is concave in the samples of each label, so it lies below each of its tangent planes,
// and those are additive over sets:
//
//   f(D) <= f(m) / 2 + sum_{d in D} g_d,   g_d = sum_c w_c n_dc / (2 sqrt(m_c)),   for any m > 0,
//
// (the half is particular to the square root). A subset that needs K passes, a <= K <= b, has at
// least the coverage f_b at which b passes are needed, and its objective is at least
//
//   K (pass_price + C / b),   C = sum_{d in D} (price_d + b sample_price n_d),
//
// where C is at least what fractions of sets with sum g_d >= f_b - f(m) / 2 cost, a fractional
// knapsack. That is close where sets are many. Where they are few, gains of single sets (f(D) <=
// f(in) + sum of what each other set adds to `in`, Nemhauser and Wolsey 1978) and branching on the
// set that the knapsack cuts close the gap: branch and bound over intervals of K and sets, the
// region with the least bound first, with an end to the work. The least bound left is the answer.
#pragma once

#include "plan/data/data_chain.h"

namespace surety::plan {

// REQUIRES: an order of all sets and an objective in `chain`; some cost above 0.
// ENSURES: at most the objective of any subset that is not empty, and of the chain.
// O(entries + sets log sets) for each of 16 regions; more regions the fewer entries there are.
[[nodiscard]] double lower_bound(const LabelledSets& sets, const DataCosts& costs,
                                 const DataChain& chain);

}  // namespace surety::plan
