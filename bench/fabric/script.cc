#include "bench/fabric/script.h"

#include <nlohmann/json.hpp>

namespace surety::bench {

using nlohmann::json;
using sim::WorldOptions;

WorldOptions test_bed(std::uint32_t workers, std::uint64_t seed, const sim::Scenario& scenario) {
  return {.scenario = scenario,
          .workers = workers,
          .servers = 1,
          .bytes_per_s = kLink_mbit * kBytesPerMbit,
          .compute_s = 0.3,
          .seed = seed};
}

json to_json(const WorldOptions& world) {
  return {{"workers", world.workers},
          {"servers", world.servers},
          {"bytes_per_s", world.bytes_per_s},
          {"compute_s", world.compute_s},
          {"seed", world.seed},
          {"stragglers", world.scenario.stragglers},
          {"fluctuating", world.scenario.fluctuating}};
}

WorldOptions world_of(const json& text) {
  return {.scenario = {.stragglers = text.at("stragglers"), .fluctuating = text.at("fluctuating")},
          .workers = text.at("workers"),
          .servers = text.at("servers"),
          .bytes_per_s = text.at("bytes_per_s"),
          .compute_s = text.at("compute_s"),
          .seed = text.at("seed")};
}

std::uint32_t host_of(const WorldOptions& world, std::uint32_t index) {
  return index < world.workers ? index + 1 : 0;
}

std::uint32_t index_of(const WorldOptions& world, std::uint32_t host) {
  return host == 0 ? world.workers : host - 1;
}

}  // namespace surety::bench
