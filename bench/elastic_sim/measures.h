// The measures of bench_elastic_sim; main.cc describes them.
#pragma once

#include "bench/report.h"

namespace surety::bench {

void measure_scaling(const Options& options, Report& report);
void measure_hetero(const Options& options, Report& report);
void measure_stragglers(const Options& options, Report& report);
void measure_feedback(const Options& options, Report& report);

}  // namespace surety::bench
