// The behaviour of machines and links while a job trains: the durations of steps and the rates of
// ports.
//
// Each quantity has its own random stream from the seed, so that two schemes get the same
// conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "sim/network/link.h"

namespace surety::bench::sim {

struct Scenario {
  std::string_view name = "homo";
  // Every tenth worker is always 2-4x slower; in addition, 5 % of all steps are 2-4x slower.
  bool stragglers = false;
  // Every port direction has a factor 10^-u, drawn anew every 2-5 s.
  bool fluctuating = false;
  bool oversubscribed = false;  // Racks of 10 hosts; the core is oversubscribed 4:1.
};
inline constexpr Scenario kScenarios[] = {
    {.name = "homo"},
    {.name = "strag", .stragglers = true},
    {.name = "net", .fluctuating = true},
    {.name = "both", .stragglers = true, .fluctuating = true},
    {.name = "oversub", .oversubscribed = true},
};

inline constexpr double kMessage_s = 0.0005;  // Latency of a control message in one direction.

struct WorldOptions {
  Scenario scenario{};
  std::uint32_t workers = 30;
  // Hosts with ids after the workers' that only own parameters; may be 0.
  std::uint32_t servers = 1;
  double bytes_per_s = 1.25e9;
  // Mean; step times are lognormal with a coefficient of variation of 0.1.
  double compute_s = 0.3;
  std::uint64_t seed = 1;
};

struct CapacityChange {
  double at_s = 0;
  surety::sim::Link link;
  double bytes_per_s = 0;
};

class World {
 public:
  explicit World(const WorldOptions& options);

  [[nodiscard]] std::uint32_t hosts() const { return options_.workers + options_.servers; }
  [[nodiscard]] std::uint32_t racks() const;  // 0 unless oversubscribed.
  [[nodiscard]] std::uint32_t rack_of(std::uint32_t host) const;

  // The duration of the worker's next step.
  [[nodiscard]] double step_s(std::uint32_t worker);
  // Returns capacities in order of time, those at 0 first; nullopt when they no longer change.
  [[nodiscard]] std::optional<CapacityChange> next_change();

 private:
  struct Side {
    double next_s = 0;
    surety::sim::Link link;
    Random random;
  };
  WorldOptions options_;
  std::vector<Random> steps_;     // One stream for each worker.
  std::vector<double> slowness_;  // Factor on each worker's step times.
  std::vector<Side> sides_;
};

}  // namespace surety::bench::sim
