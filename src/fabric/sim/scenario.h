// What machines and links do while a job trains: how long steps take, how fast ports are.
//
// Everything is drawn from the seed by its own stream, so that two schemes see the same weather.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "fabric/core/shares.h"

namespace surety::fabric::sim {

struct Scenario {
  std::string_view name = "homo";
  bool stragglers = false;      // Every tenth worker 2-4x slower for ever; 5 % of steps 2-4x too.
  bool fluctuating = false;     // Every port direction: a factor 10^-u, drawn anew every 2-5 s.
  bool oversubscribed = false;  // Racks of 10, core 4:1.
};
inline constexpr Scenario kScenarios[] = {
    {.name = "homo"},
    {.name = "strag", .stragglers = true},
    {.name = "net", .fluctuating = true},
    {.name = "both", .stragglers = true, .fluctuating = true},
    {.name = "oversub", .oversubscribed = true},
};

struct WorldOptions {
  Scenario scenario{};
  std::uint32_t workers = 30;
  std::uint32_t servers = 1;  // Hosts behind the workers that only own parameters; may be 0.
  double bytes_per_s = 1.25e9;
  double compute_s = 0.3;  // Mean; lognormal with a coefficient of variation of 0.1.
  std::uint64_t seed = 1;
};

struct CapacityChange {
  double at_s = 0;
  Resource resource;
  double bytes_per_s = 0;
};

class World {
 public:
  explicit World(const WorldOptions& options);

  [[nodiscard]] std::uint32_t hosts() const { return options_.workers + options_.servers; }
  [[nodiscard]] std::vector<Port> racks() const;  // Empty unless oversubscribed.
  [[nodiscard]] std::uint32_t rack_of(std::uint32_t host) const;

  // The time of the worker's next step.
  [[nodiscard]] double step_s(std::uint32_t worker);
  // Capacities in order of time, those at 0 first; nothing once they stay as they are.
  [[nodiscard]] std::optional<CapacityChange> next_change();

 private:
  struct Side {
    double next_s = 0;
    Resource resource;
    Random random;
  };
  WorldOptions options_;
  std::vector<Random> steps_;     // By worker.
  std::vector<double> slowness_;  // By worker.
  std::vector<Side> sides_;
};

}  // namespace surety::fabric::sim
