#include "bench/fabric/simulated.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "bench/fabric/lane_job.h"
#include "bench/fabric/trainer.h"

namespace surety::bench {
namespace {

using namespace fabric;
using nlohmann::json;

// Simulated seconds between two checks whether all hosts have ended.
constexpr double kSlice_s = 0.05;

// Hosts that act, one after the other, when they have received data or when a timer has expired.
class SimulatedHosts {
 public:
  // `act(host)` carries out the current work of the host, and returns how long the host waits if no
  // data arrive. Hosts have the numbers of the test bed.
  using Act = std::function<Duration(std::uint32_t)>;

  SimulatedHosts(const sim::WorldOptions& world, const Ports& ports,
                 const SimulatedOptions& options)
      : options_(options),
        world_options_(world),
        world_(world),
        clock_(world_),
        links_(clock_, world_.hosts(), options.link, [this](std::uint32_t index) { wake(index); }),
        hosts_(world_.hosts()) {
    using Kind = surety::sim::Link::Kind;
    for (std::uint32_t index = 0; index < world_.hosts(); ++index) {
      for (const Kind side : {Kind::kOut, Kind::kIn}) {
        network().set_bucket({side, index}, options.burst_bytes, options.line_bytes_per_s);
      }
    }
    for (const auto& [host, port] : ports) {
      network().set_capacity({Kind::kOut, index_of(host)}, port.out_bytes_per_s);
      network().set_capacity({Kind::kIn, index_of(host)}, port.in_bytes_per_s);
    }
  }

  [[nodiscard]] Time now() const { return Time(from_seconds(clock_.now_s())); }
  [[nodiscard]] Transport& at(std::uint32_t host) { return links_.at(index_of(host)); }
  // All of these hosts but the host itself.
  [[nodiscard]] std::map<WorkerId, PeerId> peers(std::uint32_t self,
                                                 const std::vector<std::uint32_t>& hosts) const {
    std::map<WorkerId, PeerId> peers;
    for (const std::uint32_t host : hosts) {
      if (host != self) peers[WorkerId{host}] = index_of(host);
    }
    return peers;
  }

  void run(const std::vector<std::uint32_t>& hosts, Act act, const std::function<bool()>& over) {
    act_ = std::move(act);
    for (const std::uint32_t host : hosts) {
      hosts_[index_of(host)].there = true;
      wake(index_of(host));
    }
    for (double until_s = kSlice_s; !over(); until_s += kSlice_s) {
      clock_.run(until_s, [this](surety::sim::JobId job) { links_.ended(job); });
    }
  }

 private:
  [[nodiscard]] surety::sim::FluidNetwork& network() { return clock_.network(); }
  [[nodiscard]] std::uint32_t index_of(std::uint32_t host) const {
    return bench::index_of(world_options_, host);
  }

  struct Host {
    bool there = false;
    bool woken = false;
    double free_s = 0;         // Time from which its processor is free.
    std::uint64_t timers = 0;  // Only the last timer counts.
  };

  void wake(std::uint32_t index) {
    Host& host = hosts_[index];
    if (!host.there || std::exchange(host.woken, true)) return;
    clock_.after(std::max(0.0, host.free_s - clock_.now_s()), [this, index] {
      const double cost_s =
          options_.message_cpu_s * static_cast<double>(links_.at(index).events().size());
      clock_.after(cost_s, [this, index] { go(index); });
    });
  }

  void go(std::uint32_t index) {
    Host& host = hosts_[index];
    host.woken = false;
    host.free_s = clock_.now_s();
    const Duration wait = act_(host_of(world_options_, index));
    clock_.after(to_seconds(wait), [this, index, timer = ++host.timers] {
      if (hosts_[index].timers == timer) wake(index);
    });
  }

  const SimulatedOptions options_;
  const sim::WorldOptions world_options_;
  sim::World world_;
  sim::SimulationClock clock_;
  sim::FluidLinks links_;
  std::vector<Host> hosts_;
  Act act_;
};

struct SimulatedWorker {
  std::unique_ptr<Learner> learner;
  std::unique_ptr<Rounds> rounds;
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<ExchangeWorker> exchange;
};

}  // namespace

Result<std::vector<json>> simulate_training(const json& job, const Ports& ports,
                                            const SimulatedOptions& options) {
  SimulatedHosts hosts(world_of(job.at("world")), ports, options);
  const std::vector<std::uint32_t> ids = job.at("workers");
  std::map<std::uint32_t, SimulatedWorker> workers;
  for (const std::uint32_t id : ids) {
    SimulatedWorker& worker = workers[id];
    worker.learner = make_counting_learner(id, job.at("elements"));
    worker.rounds = std::make_unique<Rounds>(hosts.at(id), WorkerId{id});
    worker.trainer = std::make_unique<Trainer>(job, WorkerId{id}, *worker.learner, hosts.now());
    worker.exchange = std::make_unique<ExchangeWorker>(
        *worker.trainer, WorkerId{id}, *worker.rounds, hosts.peers(id, ids), hosts.now());
  }
  Result<void> so_far;
  const auto act = [&](std::uint32_t id) {
    SimulatedWorker& worker = workers.at(id);
    const auto moved = worker.rounds->advance(Duration::zero());
    if (!moved) so_far = tl::unexpected(moved.error());
    if (so_far && !worker.exchange->ended()) so_far = worker.exchange->advance(hosts.now());
    return worker.trainer->wait(hosts.now());
  };
  hosts.run(ids, act, [&] {
    return !so_far || std::ranges::all_of(workers, [](const auto& worker) {
      return worker.second.exchange->ended();
    });
  });
  if (!so_far) return tl::unexpected(so_far.error());
  std::vector<json> answers(workers.size() + 1);
  for (auto& [id, worker] : workers) answers[id] = worker.exchange->answer();
  return answers;
}

Result<double> simulate_lanes(const json& text, const sim::WorldOptions& world, const Ports& ports,
                              const SimulatedOptions& options) {
  const LaneJob job = lane_job_of(text);
  SimulatedHosts hosts(world, ports, options);
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < job.ports.size(); ++id) ids.push_back(id);
  std::vector<LaneVectors> vectors(ids.size());
  std::vector<std::unique_ptr<LaneHost>> runs;
  for (const std::uint32_t id : ids) {
    vectors[id] = vectors_of(job, WorkerId{id});
    runs.push_back(std::make_unique<LaneHost>(job, WorkerId{id}, hosts.at(id), hosts.peers(id, ids),
                                              vectors[id]));
  }
  Result<void> so_far;
  std::size_t left = ids.size();
  double end_s = 0;
  const auto act = [&](std::uint32_t id) -> Duration {
    constexpr Duration kPollInterval = std::chrono::milliseconds(20);
    if (!so_far || runs[id] == nullptr) return kPollInterval;
    const auto done = runs[id]->run().advance(hosts.now(), hosts.at(id).poll({}));
    if (!done) so_far = tl::unexpected(done.error());
    if (!done || !*done) return kPollInterval;
    runs[id].reset();
    --left;
    end_s = to_seconds(hosts.now().time_since_epoch());
    return kPollInterval;
  };
  hosts.run(ids, act, [&] { return !so_far || left == 0; });
  if (!so_far) return tl::unexpected(so_far.error());
  for (const LaneVectors& of : vectors) {
    if (count_wrong(job, of) > 0) return fail(ErrorCode::kCorrupt, "a simulated sum is wrong");
  }
  return end_s;
}

}  // namespace surety::bench
