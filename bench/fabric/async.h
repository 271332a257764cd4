// async8, async16: updates a second of 8 and 16 asynchronous workers, 1 MB each, computing 0.3 s,
// beside a naive parameter server; async8_slow_port: where one worker's port is slower, both ways.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/report.h"
#include "fabric/sim/scenario.h"

namespace surety::bench {

// Of a job of training.h in which updates are whole numbers.
struct AsyncWork {
  std::string way = "exchange";
  std::uint64_t id = 0;
  fabric::sim::WorldOptions world{};
  double warm_s = 2, seconds = 12;
};
inline constexpr std::uint32_t kSlowHost = 4;  // The one whose port is slower; not the scheduler's.
[[nodiscard]] nlohmann::json async_job(const AsyncWork& work);
// Updates a second after the warm-up, by all hosts' answers. Corrupt: an update is in the model not
// exactly once.
[[nodiscard]] Result<double> updates_per_s(const AsyncWork& work,
                                           const std::vector<nlohmann::json>& answers);

// `slow_mbit`: of one worker's port.
[[nodiscard]] Result<void> measure_async(const std::string& measure, std::uint32_t workers,
                                         double slow_mbit, bool quick, Report& report);

}  // namespace surety::bench
