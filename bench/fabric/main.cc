// bench_fabric [--only MEASURE] [--quick] [--out FILE] [--data FOLDER] [--seeds N] [--way NAME]:
// measures the fabric with real bytes, over links of 100 Mbit/s between network namespaces (needs
// root). Every result is compared with the plain sum. All ways of a measure run in turn, in one
// run, with the same bytes. They use the sockets of jobs, under TLS; the peer "ucx" is our way over
// UCX, which does not encrypt.
//
//   push8, push16   8 and 16 hosts push 12.6 MB each to one owner, beside all flows at once
//   pull8, pull16 the hosts pull 12.6 MB from the owner
//   mirror8         push8 with a second host that gets every sum from the owner, beside the same
//                   without it, and with one that gets the sums from the hosts that made them
//   slow_port8      push8 where one host receives at a tenth of the rate, unknown to the planner
//   async8, async16 updates a second of asynchronous workers, beside a naive parameter server
//   async8_slow_port  async8 where one worker's port has a tenth of the rate, unknown to the
//                   planner
//   time_to_loss8, time_to_loss16  seconds to a validation loss where workers straggle and links
//                   change, with a row for each peer (time_to_loss8/naive): a naive parameter
//                   server, our ring, and DDP (--data: MNIST)
//   sim_vs_real_*   async8, async16, async8_slow_port, push8, pull8 and slow_port8, and async8
//                   where workers straggle and links change (disturbed8), on the real hosts and in
//                   simulated time
//   allreduce4      25 MB over 4 hosts, beside our synchronous round and Gloo
//   allreduce4_slow the same with one host at 25 Mbit/s, which is known to the planner
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/posix/signals.h"
#include "bench/fabric/async.h"
#include "bench/fabric/cluster.h"
#include "bench/fabric/gloo.h"
#include "bench/fabric/host.h"
#include "bench/fabric/sim_vs_real.h"
#include "bench/fabric/simulated.h"
#include "bench/fabric/time_to_loss.h"
#include "bench/report.h"

namespace surety::bench {
namespace {

using nlohmann::json;

std::vector<std::uint32_t> range(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < count; ++i) ids.push_back(first + i);
  return ids;
}

// Smaller blocks finish sooner, so less time is lost at the start, at the end, and until a slow
// port is detected.
constexpr std::uint64_t kBlockBytes = 96 << 10;

// A task for the cluster, without the way in which it is carried out.
struct Work {
  std::string measure;
  std::uint32_t hosts = 0;  // All hosts; in a push and a pull, host 0 is the owner.
  std::vector<std::uint32_t> sources{};
  std::vector<std::uint32_t> sinks{};
  std::vector<std::uint32_t> mirrors{};
  std::uint32_t planner = 0;
  std::uint64_t elements = 0;
  std::uint32_t slow_host = 0;  // 0 means that no host is slow.
  double slow_out_mbit = kLink_mbit;
  double slow_in_mbit = kLink_mbit;
  bool knows_slow_port = false;  // Whether the planner knows the slow port; if not, it measures.
  std::vector<std::string> peers{};
};

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {}

  Result<void> measure(const Work& work);
  // Runs a push or a pull on the real hosts and in simulated time.
  Result<void> simulate(const Work& work);
  [[nodiscard]] bool wants(const std::string& measure) const { return options_.wants(measure); }
  [[nodiscard]] const Options& options() const { return options_; }
  Report& report() { return report_; }

 private:
  json job(const Work& work, const std::string& way);
  Result<double> time_of(const Work& work, const std::string& way, Cluster& cluster);
  Result<Cluster> start(const Work& work, const ShapedNetwork& network,
                        const std::string& transport);
  // `over_ucx`: the same hosts, if UCX is a peer of the work.
  using Once = std::function<Result<void>(Cluster& hosts, Cluster* over_ucx, Row&)>;
  // Adds a row, if the measure is wanted.
  Result<void> repeat(const Work& work, const std::string& measure, const Once& once);

  const Options& options_;
  Report report_;
  std::uint64_t round_ = 0;
};

json Bench::job(const Work& work, const std::string& way) {
  const double rate = kLink_mbit * kBytesPerMbit;
  std::vector<std::array<double, 2>> ports(work.hosts, {rate, rate});
  if (work.knows_slow_port && work.slow_host > 0) {
    ports[work.slow_host] = {work.slow_out_mbit * kBytesPerMbit, work.slow_in_mbit * kBytesPerMbit};
  }
  const std::vector<std::uint32_t>& hubs = work.sources.size() > 1 ? work.sources : work.sinks;
  const bool alone = way == "alone";   // The owner has no mirror.
  const bool by_hubs = way == "hubs";  // The mirror gets the sums from the hosts that made them.
  std::vector<std::uint32_t> sinks = work.sinks;
  if (by_hubs) sinks.insert(sinks.end(), work.mirrors.begin(), work.mirrors.end());
  return {{"way", alone || by_hubs ? "lanes" : way},
          {"round", ++round_},
          {"elements", work.elements},
          {"blocks", std::max<std::uint64_t>(1, work.elements * sizeof(float) / kBlockBytes)},
          {"sources", work.sources},
          {"sinks", sinks},
          {"mirrors", alone || by_hubs ? std::vector<std::uint32_t>{} : work.mirrors},
          {"planner", work.planner},
          {"hubs", hubs},
          {"window_first", 1},
          {"window_max", 8},
          {"measures", !work.knows_slow_port},
          {"ports", ports}};
}

Result<double> Bench::time_of(const Work& work, const std::string& way, Cluster& cluster) {
  if (way == "gloo") return gloo_all_reduce_s(work.hosts, work.elements);
  SURETY_TRY(const Outcome outcome, cluster.run(job(work, way)));
  std::printf("# %s %s: %.3f s, CPU %.2f s, control %.3f %%, staged %.1f MB\n",
              work.measure.c_str(), way.c_str(), outcome.seconds, outcome.cpu_s,
              outcome.data_bytes > 0 ? 100 * outcome.control_bytes / outcome.data_bytes : 0,
              outcome.staged_bytes / 1e6);
  return outcome.seconds;
}

Result<Cluster> Bench::start(const Work& work, const ShapedNetwork& network,
                             const std::string& transport) {
  if (work.slow_host > 0) {
    SURETY_TRY(network.shape(work.slow_host, work.slow_out_mbit, work.slow_in_mbit));
  }
  // Urgent data cannot overtake data in a socket's buffer, and the flows of one owner need only a
  // small buffer.
  if (work.sources.size() == 1) {
    ::setenv("UCX_TCP_SNDBUF", "64k", 1);
  } else {
    ::unsetenv("UCX_TCP_SNDBUF");
  }
  return Cluster::start(network, work.hosts, transport);
}

Result<void> Bench::repeat(const Work& work, const std::string& measure, const Once& once) {
  if (!options_.wants(measure)) return {};
  SURETY_TRY(const ShapedNetwork network, ShapedNetwork::make(work.hosts, kLink_mbit));
  SURETY_TRY(Cluster cluster, start(work, network, "sockets"));
  std::optional<Cluster> over_ucx;
  if (std::ranges::find(work.peers, "ucx") != work.peers.end()) {
    SURETY_TRY(over_ucx, start(work, network, "ucx"));
  }
  Row row{.measure = measure, .unit = "s", .ours = {}, .peers = {}, .higher_is_better = false};
  for (int repeat = 0; repeat < (options_.quick ? 1 : 3); ++repeat) {
    SURETY_TRY(once(cluster, over_ucx ? &*over_ucx : nullptr, row));
  }
  report_.add(std::move(row));
  return {};
}

Result<void> Bench::measure(const Work& work) {
  return repeat(
      work, work.measure, [&](Cluster& cluster, Cluster* over_ucx, Row& row) -> Result<void> {
        SURETY_TRY(const double ours, time_of(work, "lanes", cluster));
        row.ours.push_back(ours);
        for (const std::string& peer : work.peers) {
          SURETY_TRY(const double theirs, peer == "ucx" ? time_of(work, "lanes", *over_ucx)
                                                        : time_of(work, peer, cluster));
          row.peers[peer].push_back(theirs);
        }
        return {};
      });
}

Result<void> Bench::simulate(const Work& work) {
  const std::string measure = "sim_vs_real_" + work.measure;
  Ports ports;
  if (work.slow_host > 0) {
    ports[work.slow_host] = {work.slow_out_mbit * kBytesPerMbit, work.slow_in_mbit * kBytesPerMbit};
  }
  return repeat(work, measure, [&](Cluster& cluster, Cluster*, Row& row) -> Result<void> {
    const json text = job(work, "lanes");
    SURETY_TRY(const Outcome real, cluster.run(text));
    SURETY_TRY(const double simulated, simulate_lanes(text, test_bed(work.hosts - 1, 1), ports));
    row.ours.push_back(real.seconds);
    row.peers["simulated"].push_back(simulated);
    print_deviation(measure, simulated, real.seconds);
    return {};
  });
}

// Options of the measure time_to_loss.
struct Extra {
  std::string data;
  std::uint64_t seeds = 3;
  std::string way;
};

// Measures of workers that train, or behave as if they did.
Result<void> measure_workers(Bench& bench, const Extra& extra, bool quick) {
  struct Async {
    const char* measure;
    std::uint32_t workers;
    double slow_mbit = kLink_mbit;
  };
  for (const Async& async :
       {Async{"async8", 8}, Async{"async16", 16}, Async{"async8_slow_port", 8, kLink_mbit / 10}}) {
    if (!bench.wants(async.measure)) continue;
    SURETY_TRY(measure_async(async.measure, async.workers, async.slow_mbit, quick, bench.report()));
  }
  for (const std::uint32_t n : {8u, 16u}) {
    if (!bench.wants("time_to_loss" + std::to_string(n))) continue;
    SURETY_TRY(measure_time_to_loss(
        {.workers = n, .data = extra.data, .seeds = extra.seeds, .only = extra.way, .quick = quick},
        bench.report()));
  }
  return {};
}

Result<void> run(Bench& bench, const Extra& extra, bool quick) {
  const std::uint64_t vector = quick ? 50'000 : 3'150'000;  // Elements of 4 bytes.
  const std::uint64_t large = quick ? 100'000 : 6'250'000;
  for (const std::uint32_t n : {8u, 16u}) {
    const std::string suffix = std::to_string(n);
    const Work push{.measure = "push" + suffix,
                    .hosts = n + 1,
                    .sources = range(1, n),
                    .sinks = {0},
                    .elements = vector,
                    .peers = {"direct", "ucx"}};
    const Work pull{.measure = "pull" + suffix,
                    .hosts = n + 1,
                    .sources = {0},
                    .sinks = range(1, n),
                    .elements = vector,
                    .peers = {"direct", "ucx"}};
    for (const Work& work : {push, pull}) {
      SURETY_TRY(bench.measure(work));
      if (n == 8) SURETY_TRY(bench.simulate(work));
    }
  }
  SURETY_TRY(bench.measure({.measure = "mirror8",
                            .hosts = 10,
                            .sources = range(1, 8),
                            .sinks = {0},
                            .mirrors = {9},
                            .elements = vector,
                            .peers = {"alone", "hubs"}}));
  const Work slow_port{.measure = "slow_port8",
                       .hosts = 9,
                       .sources = range(1, 8),
                       .sinks = {0},
                       .elements = vector,
                       .slow_host = 3,
                       .slow_in_mbit = kLink_mbit / 10,
                       .peers = {}};
  SURETY_TRY(bench.measure(slow_port));
  SURETY_TRY(bench.simulate(slow_port));
  SURETY_TRY(measure_sim_vs_real(bench.options(), bench.report()));
  SURETY_TRY(measure_workers(bench, extra, quick));
  SURETY_TRY(bench.measure({.measure = "allreduce4",
                            .hosts = 4,
                            .sources = range(0, 4),
                            .sinks = range(0, 4),
                            .elements = large,
                            .knows_slow_port = true,
                            .peers = {"ring", "gloo", "ucx"}}));
  return bench.measure({.measure = "allreduce4_slow",
                        .hosts = 4,
                        .sources = range(0, 4),
                        .sinks = range(0, 4),
                        .elements = large,
                        .slow_host = 3,
                        .slow_out_mbit = 25,
                        .slow_in_mbit = 25,
                        .knows_slow_port = true,
                        .peers = {"ring", "gloo"}});
}

}  // namespace
}  // namespace surety::bench

int main(int argc, char** argv) {
  using namespace surety::bench;
  if (argc == 3 && std::strcmp(argv[1], "host") == 0) {
    return run_host(static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)));
  }
  Extra extra;
  const Options options = parse_options(
      "The fabric over shaped links between network namespaces.", argc, argv, [&](CLI::App& app) {
        app.add_option("--data", extra.data,
                       "Folder with MNIST, for the measures of the time to a loss");
        app.add_option("--seeds", extra.seeds, "Runs of each measure of the time to a loss");
        app.add_option("--way", extra.way, "Measure only this method: ours, naive, ring, DDP");
      });
  surety::posix::count_stop_signals();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Bench bench(options);
  if (const auto done = run(bench, extra, options.quick); !done) {
    std::fprintf(stderr, "bench_fabric: %s\n", done.error().message.c_str());
    return 1;
  }
  return bench.report().write(options) ? 0 : 1;
}
