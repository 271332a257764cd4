// async8, async16: updates a second of 8 and 16 asynchronous workers, 1 MB each, computing 0.3 s,
// beside a naive parameter server.
#pragma once

#include "base/result.h"
#include "bench/report.h"

namespace surety::bench {

[[nodiscard]] Result<void> measure_async(std::uint32_t workers, double link_mbit, bool quick,
                                         Report& report);

}  // namespace surety::bench
