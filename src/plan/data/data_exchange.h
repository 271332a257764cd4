// Improves the choice of data sets by small steps from the chain's best prefix.
#pragma once

#include "plan/data/labelled_sets.h"

namespace surety::plan {

// Adds a set, removes one, or exchanges two, as long as that lowers the objective. With few sets a
// small dense set may come early in the chain and stay, although a later large set makes it
// unnecessary. With many sets this matters little and takes long. So if one round would take more
// than kExchangeWork (data_exchange.cc), the function does nothing. REQUIRES: chain.order of all
// sets, best and objective. ENSURES: the best choice is still a prefix; the order within it and
// after it does not change.
void exchange_sets(const LabelledSets& sets, const DataCosts& costs, DataChain& chain);

}  // namespace surety::plan
