// bench_fabric_core [--only MEASURE] [--quick] [--out FILE]: measures the fabric's scheduler, alone
// and on a simulated network.
//
//   decide_1000_ms    CPU time of a step that starts rounds, with 1,000 hosts and 1,000 pending
//     updates: median and 99th percentile; one owner, and owners on all hosts with 4 speed classes
//   MODE_SCENARIO_nN  updates a second on the fluid network, 100 MB at 10 Gbit/s, 0.3 s of compute;
//     beside a naive parameter server and a ring under the same network conditions. Our model is
//     owned by all workers' hosts, or, with _s1 and _s4, by one or four servers
#include <ctime>

#include "bench/fabric_sim/baselines.h"
#include "bench/fabric_sim/simulation.h"
#include "bench/report.h"

namespace surety::bench {
namespace {

using namespace fabric;
using namespace sim;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Returns the times of steps that started rounds, in ms, ascending. Each host always has an update
// pending.
std::vector<double> decisions_ms(std::uint32_t hosts, bool owners_everywhere, int decisions) {
  SchedulerOptions options{.blocks = 64, .block_bytes = 1e6};
  options.cluster.classes = owners_everywhere ? 4 : 1;
  const std::uint32_t owners = owners_everywhere ? hosts : 1;
  for (std::uint32_t o = 0; o < owners; ++o) {
    options.owners.push_back({WorkerId{owners_everywhere ? o : hosts}, 1.0 / owners});
  }
  Random random(1);
  for (std::uint32_t h = 0; h < hosts + (owners_everywhere ? 0 : 1); ++h) {
    const double rate = 1e9 * std::pow(10, -random.uniform());
    options.workers[WorkerId{h}] = {rate, rate};
  }
  Scheduler scheduler(options);
  double now_s = 0;
  std::vector<RoundId> live;
  std::vector<UpdateId> again;
  std::vector<double> spent_ms;
  std::uint64_t sequence = 0;
  const auto step = [&](const Event& event) {
    const double before_ms = cpu_ms();
    const std::vector<Action> actions = scheduler.step(Time(from_seconds(now_s)), event);
    const double after_ms = cpu_ms();
    bool started = false;
    for (const Action& action : actions) {
      if (const Grant* grant = std::get_if<Grant>(&action)) live.push_back(grant->round);
      if (const UpdateDone* done = std::get_if<UpdateDone>(&action)) again.push_back(done->update);
      started |= std::holds_alternative<Grant>(action);
    }
    if (started) spent_ms.push_back(after_ms - before_ms);
  };
  for (std::uint32_t h = 0; h < hosts; ++h) step(PushReady{{WorkerId{h}, ++sequence}, 0});
  spent_ms.clear();
  while (static_cast<int>(spent_ms.size()) < decisions) {
    now_s += 0.001;
    const RoundId oldest = live.front();
    live.erase(live.begin());
    step(RoundCommitted{oldest});
    for (const UpdateId& update : std::exchange(again, {})) {
      step(PushReady{{update.worker, ++sequence}, 0});
    }
  }
  std::sort(spent_ms.begin(), spent_ms.end());
  return spent_ms;
}

void measure_decisions(const Options& options, Report& report) {
  if (!options.wants("decide_1000")) return;
  for (const bool everywhere : {false, true}) {
    const std::uint32_t hosts = options.quick ? 50 : 1000;
    const auto ms = decisions_ms(hosts, everywhere, options.quick ? 20 : 3000);
    const std::string where = everywhere ? "_all_own" : "_one_owns";
    report.add({"decide_1000_p50" + where, "ms", {ms[ms.size() / 2]}, {}, false});
    report.add({"decide_1000_p99" + where, "ms", {ms[ms.size() * 99 / 100]}, {}, false});
  }
}

struct Mode {
  const char* name;
  QuorumOptions quorum;
  std::uint32_t local_steps_max;
};

void measure_throughput(const Options& options, Report& report, std::uint32_t workers) {
  const int seeds = options.quick ? 1 : 3;
  const double horizon_s = options.quick ? 2 : 40;
  const Mode modes[] = {
      {"async", {}, 0}, {"sync", {.batch = workers}, 0}, {"local_q", {.batch = workers / 3}, 8}};
  for (const Scenario& scenario : kScenarios) {
    std::vector<double> naive;
    std::vector<double> rings;
    for (const Mode& mode : modes) {
      for (const std::uint32_t servers : {0u, 1u, 4u}) {
        const std::string measure = fmt::format("{}_{}_n{}{}", mode.name, scenario.name, workers,
                                                servers == 0 ? "" : fmt::format("_s{}", servers));
        if (!options.wants(measure)) continue;
        std::vector<double> ours;
        for (int seed = 1; seed <= seeds; ++seed) {
          SimulationOptions run;
          run.world = {scenario, workers, servers};
          run.world.seed = static_cast<std::uint64_t>(seed);
          run.quorum = mode.quorum;
          run.local_steps_max = mode.local_steps_max;
          run.blocks = 64;
          // The port of a single server cannot serve several classes at the same time.
          run.classes = servers == 1 ? 1 : 4;
          run.horizon_s = horizon_s;
          ours.push_back(simulate(run).updates_per_s);
          if (naive.size() == static_cast<std::size_t>(seeds)) continue;
          const BaselineOptions baseline{run.world, run.model_bytes, 60, 2 * horizon_s};
          naive.push_back(naive_server(baseline));
          rings.push_back(ring(baseline));
        }
        report.add({measure, "updates/s", ours, {{"naive server", naive}, {"ring", rings}}});
      }
    }
  }
}

}  // namespace
}  // namespace surety::bench

int main(int argc, char** argv) {
  using namespace surety::bench;
  const Options options =
      parse_options("The fabric's scheduler, alone and on a simulated network", argc, argv);
  Report report;
  measure_decisions(options, report);
  for (const std::uint32_t workers : {8u, 30u}) measure_throughput(options, report, workers);
  return report.write(options) ? 0 : 1;
}
