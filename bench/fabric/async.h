// async8, async16: updates a second of 8 and 16 asynchronous workers, beside a naive parameter
// server. An update has 1 MB and takes 0.3 s to compute. async8_slow_port: the same with one worker
// whose port is slower in both directions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/fabric_sim/scenario.h"
#include "bench/report.h"

namespace surety::bench {

// A job of training.h whose updates are whole numbers.
struct AsyncWork {
  std::string way = "exchange";
  std::uint64_t id = 0;
  sim::WorldOptions world{};
  double warm_s = 2;
  double seconds = 12;
};
// The host with the slower port, if there is one; it is not the scheduler.
inline constexpr std::uint32_t kSlowHost = 4;
[[nodiscard]] nlohmann::json async_job(const AsyncWork& work);
// Updates a second after the warm-up, from the answers of all hosts. Corrupt if some update is not
// in the model exactly once.
[[nodiscard]] Result<double> updates_per_s(const AsyncWork& work,
                                           const std::vector<nlohmann::json>& answers);

// `slow_mbit` is the rate of one worker's port, in Mbit/s.
[[nodiscard]] Result<void> measure_async(const std::string& measure, std::uint32_t workers,
                                         double slow_mbit, bool quick, Report& report);

}  // namespace surety::bench
