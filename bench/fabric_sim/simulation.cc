#include "bench/fabric_sim/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/overloaded.h"
#include "bench/fabric_sim/ledger.h"
#include "bench/fabric_sim/local_work.h"
#include "bench/fabric_sim/port_samples.h"
#include "bench/fabric_sim/replica_link.h"
#include "bench/fabric_sim/round_loads.h"
#include "bench/fabric_sim/simulation_clock.h"
#include "bench/fabric_sim/simulation_setup.h"
#include "test/support/fabric/scheduler/describe.h"
#include "test/support/fabric/scheduler/grants.h"

namespace surety::bench::sim {
namespace {

using namespace fabric;
using namespace surety::sim;

using Kind = Link::Kind;

// Factor on the bytes of a round, because there are gaps between rounds.
constexpr double kOverlapCharge = 1.02;
constexpr double kTick_s = 0.05;

// Bytes on the port that carries the most, for each byte of the block.
double busiest(const std::vector<LinkLoad>& loads) {
  return std::ranges::max(loads, {}, &LinkLoad::per_byte).per_byte;
}

// Starts a job whose rate on a full link is proportional to `weight`. A network whose jobs have
// equal rates does this if the job is expressed in larger bytes: `weight` times fewer of them, each
// with the load of `weight` bytes.
JobId start_weighted(FluidNetwork& network, std::vector<LinkLoad> loads, double bytes,
                     double weight) {
  for (LinkLoad& load : loads) load.per_byte *= weight;
  return network.start(loads, bytes / weight);
}

// The replica of a mirrored round gets all that owners get, so the fractions have the sum 2 here.
std::vector<LinkLoad> loads_for(const World& world, const Grant& grant, std::vector<Share> owners,
                                RoundReplication how) {
  if (how == RoundReplication::kMirrored) {
    const WorkerId replica{world.hosts() - 1};
    for (std::size_t i = 0, count = owners.size(); i < count; ++i) {
      owners.push_back({replica, owners[i].fraction});
    }
  }
  return loads_of_round(world, grant, owners);
}

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options);
  SimulationResult run();

 private:
  struct Worker {
    bool computing = false;
    bool pushing = false;
    bool sealed = false;
    bool pulling = false;
    LocalWork work{1};
    std::uint32_t sent_steps = 0;
    UpdateId update{};
    // The model that it computes on, and the one that it is pulling.
    Ledger::Model model{};
    Ledger::Model coming{};
    PullNumber number = 0;
    Ledger::Model oldest{};  // Model of the oldest unsent step.
    PullNumber oldest_number = 0;
    double last_update_s = 0;

    // Work after this moment belongs to the next update, which is based on the current model.
    void seal() {
      sealed = true;
      sent_steps = work.seal();
      oldest = model;
      oldest_number = number;
    }
  };
  struct Running {
    // A round, a shipment to the replica, or the move of a block to other owners.
    enum class Purpose : std::uint8_t { kRound, kShipment, kMove } purpose = Purpose::kRound;
    GrantedRound round{};
    RoundReplication how = RoundReplication::kPlain;
    std::vector<LinkLoad> loads{};
  };

  [[nodiscard]] SimulationResult verdict();

  // ---- events ----
  void notify(const Event& event);
  void obey(const Action& action);

  // ---- workers ----
  void begin_worker(std::uint32_t w);
  void compute(std::uint32_t w);
  void computed(std::uint32_t w);
  void offer(std::uint32_t w);
  void request_model(std::uint32_t w);
  void update_over(const UpdateId& update, bool has_applied);

  // ---- rounds ----
  void on_granted(const Grant& grant);
  void begin_push(const GrantedRound& round);
  void begin(const GrantedRound& round, RoundReplication how);
  void begin_move(const MoveBlock& move);
  void ended(JobId job);
  void commit(const Running& running);

  // ---- the replica ----
  void ship();

  void sample(const Running& running);
  void tick();

  SimulationOptions options_;
  World world_;
  Scheduler scheduler_;
  SimulationClock clock_;
  FluidNetwork& network_;
  Ledger ledger_;
  ReplicaLink replica_;
  PortSamples samples_;
  std::uint64_t sequence_ = 0;
  std::vector<Worker> workers_;
  std::map<JobId, Running> running_;
  std::map<std::uint32_t, std::vector<Share>> owners_;  // Owners by placement.
  std::multiset<std::uint32_t> moving_;                 // Blocks on their way to other owners.
  // Rounds that wait for such a block, in the order of their grants.
  std::vector<std::pair<GrantedRound, RoundReplication>> held_;
  SimulationResult result_;
};

Simulation::Simulation(const SimulationOptions& options)
    : options_(options),
      world_(world_of(options)),
      scheduler_(scheduler_of(options)),
      clock_(world_),
      network_(clock_.network()),
      ledger_(options.blocks),
      replica_(options.replication, options.blocks, options.world.seed),
      samples_(options.world.seed),
      workers_(options.world.workers),
      owners_{{1, scheduler_of(options).owners}} {}

void Simulation::notify(const Event& event) {
  const std::vector<Action> actions = scheduler_.step(Time(from_seconds(clock_.now_s())), event);
  for (const Action& action : actions) {
    if (options_.keep_log) {
      result_.log.push_back(std::to_string(clock_.now_s()) + " " + describe(action));
    }
    obey(action);
  }
}

void Simulation::obey(const Action& action) {
  std::visit(Overloaded{
                 [&](const Grant& grant) { on_granted(grant); },
                 [&](const DropUpdate& drop) {
                   ++result_.drops;
                   ledger_.on_dropped(drop.update, drop.blocks);
                 },
                 [&](const UpdateDone& done) {
                   const bool has_applied = ledger_.on_done(done.update);
                   update_over(done.update, has_applied);
                 },
                 [&](const ModelReady& ready) {
                   const std::uint32_t w = ready.worker.value;
                   clock_.after(kMessage_s, [this, w] {
                     Worker& worker = workers_[w];
                     worker.pulling = false;
                     worker.model = worker.coming;
                     ++worker.number;
                     if (!worker.computing && worker.work.may_compute()) compute(w);
                     offer(w);
                   });
                 },
                 [&](const PlaceOwners& place) { owners_[place.placement] = place.owners; },
                 [&](const MoveBlock& move) { begin_move(move); },
             },
             action);
}

void Simulation::begin_worker(std::uint32_t w) {
  Worker& worker = workers_[w];
  worker.work = LocalWork(std::max(1u, options_.local_steps_max));
  worker.coming.resize(options_.blocks);
  worker.last_update_s = clock_.now_s();
  request_model(w);
}

void Simulation::compute(std::uint32_t w) {
  Worker& worker = workers_[w];
  if (worker.work.unsent() == 0) {
    worker.oldest = worker.model;
    worker.oldest_number = worker.number;
  }
  worker.computing = true;
  clock_.after(world_.step_s(w), [this, w] { computed(w); });
}

void Simulation::computed(std::uint32_t w) {
  Worker& worker = workers_[w];
  worker.computing = false;
  worker.work.on_step_done();
  offer(w);
  if (options_.local_steps_max > 0 && worker.work.may_compute()) compute(w);
}

// The unsent work becomes an update, unless an update is under way or a model is being pulled.
void Simulation::offer(std::uint32_t w) {
  Worker& worker = workers_[w];
  if (worker.pushing || worker.pulling || worker.work.unsent() == 0) return;
  worker.pushing = true;
  worker.sealed = false;
  worker.update = {WorkerId{w}, ++sequence_};
  clock_.after(kMessage_s, [this, w] {
    const Worker& ready = workers_[w];
    ledger_.on_accepted(ready.update, ready.oldest);
    notify(PushReady{ready.update, ready.oldest_number});
  });
}

void Simulation::request_model(std::uint32_t w) {
  workers_[w].pulling = true;
  clock_.after(kMessage_s, [this, w] { notify(PullRequest{WorkerId{w}}); });
}

void Simulation::update_over(const UpdateId& update, bool has_applied) {
  const std::uint32_t w = update.worker.value;
  Worker& worker = workers_[w];
  if (!worker.sealed) worker.seal();
  worker.pushing = false;
  if (has_applied) {
    if (clock_.now_s() >= options_.warm_up_s) {
      ++result_.updates;
      result_.updates_per_s += 1 / options_.horizon_s;
      result_.steps_per_s += worker.sent_steps / options_.horizon_s;
    }
    result_.longest_silence_s =
        std::max(result_.longest_silence_s, clock_.now_s() - worker.last_update_s);
    worker.last_update_s = clock_.now_s();
  }
  request_model(w);
  if (options_.local_steps_max > 0 && !worker.computing && worker.work.may_compute()) compute(w);
}

void Simulation::on_granted(const Grant& grant) {
  GrantedRound round{.grant = grant};
  if (grant.direction == Direction::kPull) return begin(round, RoundReplication::kPlain);
  for (const WorkerId member : grant.members) {
    round.updates.push_back(workers_[member.value].update);
  }
  begin_push(round);
}

void Simulation::begin_push(const GrantedRound& round) {
  if (const auto how = replica_.start(round)) begin(round, *how);
}

void Simulation::begin(const GrantedRound& round, RoundReplication how) {
  const Grant& grant = round.grant;
  if (moving_.contains(grant.block)) {
    held_.emplace_back(round, how);
    return;
  }
  const double bytes = options_.model_bytes / options_.blocks;
  result_.staged_most_bytes = std::max(result_.staged_most_bytes, staged_bytes(grant, bytes));
  ++result_.rounds;
  for (const UpdateId& update : round.updates) {  // The first block of an update seals it.
    Worker& worker = workers_[update.worker.value];
    if (worker.update != update || worker.sealed) continue;
    worker.seal();
    // A worker that had reached its limit of steps continues.
    if (options_.local_steps_max > 0 && !worker.computing) compute(update.worker.value);
  }
  if (grant.direction == Direction::kPull) {
    for (const WorkerId member : grant.members) {
      workers_[member.value].coming[grant.block] = {ledger_.version(grant.block), clock_.now_s()};
    }
  }
  const std::vector<Share>& owners = owners_.at(grant.placement);
  std::vector<LinkLoad> loads = loads_for(world_, grant, owners, how);
  // A member that is the only owner already has the data.
  if (loads.empty()) {
    clock_.after(0, [this, round, how] { commit({.round = round, .how = how}); });
    return;
  }
  double bytes_per_s = 1 / std::max(grant.plan.s_per_byte, 1e-15);
  if (how == RoundReplication::kMirrored) {
    // The plan does not include the replica, so the round loads its busiest port more.
    const std::vector<LinkLoad> planned = loads_of_round(world_, grant, owners);
    bytes_per_s *= busiest(planned) / busiest(loads);
  }
  const JobId job = start_weighted(network_, loads, bytes * kOverlapCharge,
                                   bytes_per_s / options_.world.bytes_per_s);
  running_.emplace(job, Running{Running::Purpose::kRound, round, how, std::move(loads)});
}

void Simulation::ended(JobId job) {
  const Running running = std::move(running_.at(job));
  running_.erase(job);
  sample(running);
  const std::uint32_t block = running.round.grant.block;
  switch (running.purpose) {
    case Running::Purpose::kRound:
      commit(running);
      break;
    case Running::Purpose::kShipment:
      for (const GrantedRound& round : replica_.on_acknowledged(block)) begin_push(round);
      ship();
      break;
    case Running::Purpose::kMove:
      moving_.erase(moving_.find(block));
      for (const auto& [round, how] : std::exchange(held_, {})) begin(round, how);
      break;
  }
  result_.divergence_most = std::max(result_.divergence_most, replica_.divergence());
}

void Simulation::commit(const Running& running) {
  if (running.round.grant.direction == Direction::kPush) {
    ledger_.on_applied(running.round, clock_.now_s());
    replica_.on_committed(running.round, running.how);
    ship();
  }
  notify(RoundCommitted{running.round.grant.round});
}

// Rounds of the block that are granted later begin when it has moved.
void Simulation::begin_move(const MoveBlock& move) {
  std::vector<LinkLoad> loads =
      loads_of_move(world_, owners_.at(move.from_placement), owners_.at(move.placement));
  if (loads.empty()) return;
  moving_.insert(move.block);
  const double bytes = options_.model_bytes / options_.blocks;
  const JobId job = network_.start(loads, bytes);
  Running running{.purpose = Running::Purpose::kMove, .loads = std::move(loads)};
  running.round.grant.block = move.block;
  running_.emplace(job, std::move(running));
}

// Sends the block that differs most to the replica, if a shipment is due.
void Simulation::ship() {
  const auto block = replica_.next_shipment();
  if (!block) return;
  ++result_.shipments;
  const std::uint32_t workers = options_.world.workers;
  const std::uint32_t servers = options_.world.servers;
  std::vector<LinkLoad> loads = {{{Kind::kIn, workers + servers}, 1}};
  for (const Share& owner : owners_.rbegin()->second) {
    loads.push_back({{Kind::kOut, owner.worker.value}, owner.fraction});
  }
  const double bytes = options_.model_bytes / options_.blocks;
  const JobId job = start_weighted(network_, loads, bytes, 0.05);
  Running running{.purpose = Running::Purpose::kShipment, .loads = std::move(loads)};
  running.round.grant.block = *block;
  running_.emplace(job, std::move(running));
}

void Simulation::sample(const Running& running) {
  for (const LinkLoad& load : running.loads) {
    const double bytes_per_s = network_.capacity(load.link);
    const auto seen = samples_.take(load.link, bytes_per_s, clock_.now_s());
    // The scheduler does not know the replica.
    const std::uint32_t all_workers = options_.world.workers + options_.world.servers;
    if (seen && seen->worker.value < all_workers) notify(*seen);
  }
}

void Simulation::tick() {
  std::vector<Running> now;
  for (const auto& [job, running] : running_) now.push_back(running);
  for (const Running& running : now) sample(running);
  ship();
  notify(Tick{});
  clock_.after(kTick_s, [this] { tick(); });
}

SimulationResult Simulation::run() {
  const std::uint32_t workers = options_.world.workers;
  for (std::uint32_t h = workers; h < workers + options_.world.servers; ++h) {
    notify(Retire{WorkerId{h}});
  }
  for (std::uint32_t w = 0; w < workers_.size(); ++w)
    clock_.after(0, [this, w] { begin_worker(w); });
  clock_.after(kTick_s, [this] { tick(); });
  clock_.after(options_.warm_up_s, [this] { ledger_.forget_staleness(); });
  clock_.run(options_.warm_up_s + options_.horizon_s, [this](JobId job) { ended(job); });
  return verdict();
}

SimulationResult Simulation::verdict() {
  const StalenessSum& sum = ledger_.staleness();
  const double count = static_cast<double>(std::max<std::uint64_t>(1, sum.count));
  result_.staleness_mean = sum.versions / count;
  result_.read_to_commit_s = sum.read_to_commit_s / count;
  result_.staleness_most = sum.most;
  result_.round_members_most = ledger_.round_members_most();
  result_.violations = ledger_.violations();
  for (const Worker& worker : workers_) {
    result_.longest_silence_s =
        std::max(result_.longest_silence_s, clock_.now_s() - worker.last_update_s);
  }
  return std::move(result_);
}

}  // namespace

SimulationResult simulate(const SimulationOptions& options) { return Simulation(options).run(); }

}  // namespace surety::bench::sim
