// Measures whether the stated chances are right, and on which quantile promises could be based.
#pragma once

#include "cells.h"

namespace surety::bench {

// Replays jobs on the runs that `bench` has read, with an empty library and with one earlier job.
// Prints two tables.
//
// The first compares stated chances with the share of jobs that are certified in time, by the
// number of passes seen. The second shows, for each level of the lower quantile, how many promises
// would be stated, how many of them are kept, and how early they are stated.
//
// If `bench` has read all seeds, both tables are also printed (library empty) for the seeds for
// calibration and for those for judging: a level is chosen on the first and judged on the second.
void calibration(Bench& bench);

}  // namespace surety::bench
