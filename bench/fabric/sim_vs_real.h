// sim_vs_real_*: what the simulated test bed says of a script beside what the real one does: in the
// table ours is real, the peer simulated. Both see the same steps and the same weather.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/report.h"

namespace surety::bench {

// sim_vs_real_async8, _async16: as async8 and async16; sim_vs_real_weather8: where workers straggle
// and links change.
[[nodiscard]] Result<void> measure_sim_vs_real(const Options& options, Report& report);

// One run each; says how far they are apart, and where that is more than 15 %.
void say_how_far(const std::string& measure, double simulated, double real);

}  // namespace surety::bench
