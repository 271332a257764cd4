// The behaviour of machines and links while a job runs. It is drawn from a seed
// (bench/fabric_sim/scenario.h), so that real hosts, simulated hosts and the peers get the same
// conditions.
//
// Host 0 of the test bed is the world's server, host 1 + w its worker w.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "bench/fabric_sim/scenario.h"

namespace surety::bench {

constexpr double kLink_mbit = 100;
constexpr double kBytesPerMbit = 125e3;
// Workers straggle, and every port's rate changes every few seconds.
inline constexpr sim::Scenario kDisturbed = {
    .name = "both", .stragglers = true, .fluctuating = true};

// The options of a world with this many workers and a server, on links of 100 Mbit/s. A step takes
// 0.3 s.
[[nodiscard]] sim::WorldOptions test_bed(std::uint32_t workers, std::uint64_t seed,
                                         const sim::Scenario& scenario = {});

// {"workers", "servers", "bytes_per_s", "compute_s", "seed", "stragglers", "fluctuating"}
[[nodiscard]] nlohmann::json to_json(const sim::WorldOptions& world);
[[nodiscard]] sim::WorldOptions world_of(const nlohmann::json& text);

// Convert the world's number of a host to the test bed's, and back.
[[nodiscard]] std::uint32_t host_of(const sim::WorldOptions& world, std::uint32_t index);
[[nodiscard]] std::uint32_t index_of(const sim::WorldOptions& world, std::uint32_t host);

}  // namespace surety::bench
