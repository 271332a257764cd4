// Whether what is stated is kept, and what promises could rest on.
#pragma once

#include "cells.h"

namespace surety::bench {

// Stated chances against the share of jobs that are certified in time, by passes seen; and for each
// level of the lower quantile how many promises it would state, how many of them are kept and how
// early they come: with an empty library and with one earlier job, on the runs that `bench` has
// read. Where these are all, also on the seeds to calibrate with and on those to judge by alone
// (library empty): a level is chosen on the first and judged on the second.
void calibration(Bench& bench);

}  // namespace surety::bench
