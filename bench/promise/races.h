// Whether two attempts side by side, each on half of the nodes, keep more promises than one after
// the other.
#pragma once

#include "cells.h"

namespace surety::bench {

// Under deadlines of 1.2 and 1.5 of the oracle's medians: the share of jobs that are certified in
// time, and their money, of the pool's rule and of races that are won after some passes or at the
// target. A pass on half of the nodes takes 2^e times as long, for several e.
void races(Bench& bench);

}  // namespace surety::bench
