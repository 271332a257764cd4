#include "bench/fabric/sim_vs_real.h"

#include <cmath>
#include <cstdio>
#include <optional>

#include "bench/fabric/async.h"
#include "bench/fabric/bandwidth_trace.h"
#include "bench/fabric/cluster.h"
#include "bench/fabric/simulated.h"
#include "bench/fabric_sim/simulation.h"

namespace surety::bench {
namespace {

using nlohmann::json;

constexpr double kAllowed = 0.15;

// Simulates the same with each round as one flow, aborts included, as bench/fabric_sim does.
double by_rounds(const json& job, const AsyncWork& work) {
  sim::SimulationOptions options{.world = work.world};
  options.world.servers = 0;
  options.world.bytes_per_s /= sim::FluidLinkOptions{}.bytes_per_byte;
  options.blocks = job.at("blocks");
  options.model_bytes = job.at("elements").get<double>() * sizeof(float);
  options.classes = 3;
  options.warm_up_s = work.warm_s;
  options.horizon_s = work.seconds - work.warm_s;
  return sim::simulate(options).updates_per_s;
}

struct Script {
  const char* measure;
  std::uint32_t workers;
  sim::Scenario scenario{};
  double slow_mbit = kLink_mbit;
};

Result<void> compare(const Script& script, bool quick, Report& report) {
  SURETY_TRY(const ShapedNetwork network, ShapedNetwork::make(script.workers + 1, kLink_mbit));
  SURETY_TRY(network.shape(kSlowHost, script.slow_mbit, script.slow_mbit));
  SURETY_TRY(Cluster cluster, Cluster::start(network, script.workers + 1));
  const double slow_bytes_per_s = script.slow_mbit * kBytesPerMbit;
  const Ports ports = {{kSlowHost, {slow_bytes_per_s, slow_bytes_per_s}}};
  Row row{.measure = script.measure, .unit = "updates/s", .ours = {}, .peers = {}};
  for (std::uint64_t seed = 1; seed <= (quick ? 1 : 3); ++seed) {
    AsyncWork work{.id = seed, .world = test_bed(script.workers, seed, script.scenario)};
    if (script.scenario.fluctuating) work.seconds = 42;
    if (quick) work.seconds = 4;
    const json job = async_job(work);
    std::optional<BandwidthTrace> bandwidth_trace;
    if (script.scenario.fluctuating) bandwidth_trace.emplace(network, work.world);
    SURETY_TRY(const auto answers, cluster.train(job));
    SURETY_TRY(const double real, updates_per_s(work, answers));
    SURETY_TRY(const auto simulated_answers, simulate_training(job, ports));
    SURETY_TRY(const double simulated, updates_per_s(work, simulated_answers));
    row.ours.push_back(real);
    row.peers["simulated"].push_back(simulated);
    if (script.slow_mbit == kLink_mbit) {
      row.peers["simulated by rounds"].push_back(by_rounds(job, work));
    }
    print_deviation(script.measure, simulated, real);
  }
  report.add(std::move(row));
  return {};
}

}  // namespace

void print_deviation(const std::string& measure, double simulated, double real) {
  const double off = simulated / real - 1;
  std::printf("# %s: simulated %.2f, real %.2f: %+.1f %%%s\n", measure.c_str(), simulated, real,
              100 * off, std::abs(off) > kAllowed ? ", beyond 15 %" : "");
}

Result<void> measure_sim_vs_real(const Options& options, Report& report) {
  const Script scripts[] = {{"sim_vs_real_async8", 8},
                            {"sim_vs_real_async16", 16},
                            {"sim_vs_real_async8_slow_port", 8, {}, kLink_mbit / 10},
                            {"sim_vs_real_disturbed8", 8, kDisturbed}};
  for (const Script& script : scripts) {
    if (!options.wants(script.measure)) continue;
    SURETY_TRY(compare(script, options.quick, report));
  }
  return {};
}

}  // namespace surety::bench
