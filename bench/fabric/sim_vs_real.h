// sim_vs_real_*: compares the simulated test bed with the real one on the same script. In the table
// ours is the real result, and the peer is the simulated one. Both have the same steps and the same
// network conditions.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/report.h"

namespace surety::bench {

// Measures sim_vs_real_async8 and _async16 (scripts of async8 and async16),
// sim_vs_real_async8_slow_port, and sim_vs_real_disturbed8, in which workers straggle and links
// change.
[[nodiscard]] Result<void> measure_sim_vs_real(const Options& options, Report& report);

// Prints the difference between one run of each, and whether it is more than 15 %.
void print_deviation(const std::string& measure, double simulated, double real);

}  // namespace surety::bench
