// Compares two parallel attempts, each on half of the nodes, with one attempt after the other:
// measures which keep more promises.
#pragma once

#include "cells.h"

namespace surety::bench {

// Uses deadlines of 1.2 and 1.5 times the oracle's median. Measures the share of jobs that are
// certified in time and their money, for the pool's rule and for races that are decided after some
// passes or at the target. A pass on half of the nodes takes 2^e times as long, for several e.
void races(Bench& bench);

}  // namespace surety::bench
