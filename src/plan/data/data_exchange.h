// A better choice of data sets by small steps from the chain's best prefix.
#pragma once

#include "plan/data/data_chain.h"

namespace surety::plan {

// One set more, one less, or one for another, as long as that lowers the objective. A few sets are
// lumpy: a small dense one is in the chain early and stays although a large one makes it needless.
// Where there are many sets that matters little and costs much: nothing is done where one round
// would take more than kExchangeWork (data_exchange.cc).
// REQUIRES: chain.order of all sets, best and objective.
// ENSURES: the best is still a prefix; within it and after it the order is as before.
void exchange_sets(const LabelledSets& sets, const DataCosts& costs, DataChain& chain);

}  // namespace surety::plan
