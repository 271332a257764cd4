#include "bench/fabric_sim/simulation.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/overloaded.h"
#include "bench/fabric_sim/ledger.h"
#include "bench/fabric_sim/local_work.h"
#include "bench/fabric_sim/port_samples.h"
#include "bench/fabric_sim/replica_link.h"
#include "bench/fabric_sim/simulation_clock.h"
#include "bench/fabric_sim/simulation_setup.h"
#include "test/support/fabric/network/flows.h"
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

// The loads of a round, also on the links of racks that it crosses. Those of a mirrored round
// include those of the replica, which gets all that owners get.
std::vector<LinkLoad> loads_for(const World& world, Direction direction, const Grant& grant,
                                RoundReplication how) {
  std::vector<Share> owners = grant.owners;
  if (how == RoundReplication::kMirrored) {
    const HostId replica{world.hosts() - 1};
    for (const Share& owner : grant.owners) owners.push_back({replica, owner.fraction});
  }
  std::map<Link, double> loads;
  for (const Flow& flow : flows_of({direction, grant.members, {}, owners}, grant.plan)) {
    loads[{Kind::kOut, flow.from.value}] += flow.fraction;
    loads[{Kind::kIn, flow.to.value}] += flow.fraction;
    const std::uint32_t from = world.rack_of(flow.from.value);
    const std::uint32_t to = world.rack_of(flow.to.value);
    if (from == to) continue;
    loads[{Kind::kRackOut, from}] += flow.fraction;
    loads[{Kind::kRackIn, to}] += flow.fraction;
  }
  std::vector<LinkLoad> list;
  for (const auto& [link, per_byte] : loads) list.push_back({link, per_byte});
  return list;
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
    RoundId round = 0;  // 0 means a shipment to the replica.
    Direction direction = Direction::kPush;
    Grant grant{};
    RoundReplication how = RoundReplication::kPlain;
    std::vector<LinkLoad> loads{};
  };

  [[nodiscard]] SimulationResult verdict();

  // ---- events ----
  void notify(const Event& event);
  void obey(const Action& action);

  // ---- workers ----
  void join(std::uint32_t w);
  void compute(std::uint32_t w);
  void computed(std::uint32_t w);
  void offer(std::uint32_t w);
  void request_model(std::uint32_t w);
  void update_over(const UpdateId& update, BlockMask committed);

  // ---- rounds ----
  void begin_push(const Grant& grant);
  void begin(Direction direction, const Grant& grant, RoundReplication how);
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
      workers_(options.world.workers) {}

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
  std::visit(
      Overloaded{
          [&](const Grant& grant) { begin_push(grant); },
          [&](const StartPull& pull) {
            if (pull.version != ledger_.version(pull.grant.block)) {
              ledger_.add_violation("the version of the scheduler differs from that of the owner");
            }
            begin(Direction::kPull, pull.grant, RoundReplication::kPlain);
          },
          [&](const DropUpdate& drop) {
            ++result_.drops;
            ledger_.on_dropped(drop.update, drop.blocks);
          },
          [&](const UpdateDone& done) {
            ledger_.on_done(done.update, done.committed);
            update_over(done.update, done.committed);
          },
          [&](const ModelReady& ready) {
            const std::uint32_t w = ready.worker.value;
            clock_.after(kMessage_s, [this, w, number = ready.number] {
              Worker& worker = workers_[w];
              worker.pulling = false;
              worker.model = worker.coming;
              worker.number = number;
              if (!worker.computing && worker.work.may_compute()) compute(w);
              offer(w);
            });
          },
          [](const PlaceOwners&) {},
          [](const MoveBlock&) {},
      },
      action);
}

void Simulation::join(std::uint32_t w) {
  Worker& worker = workers_[w];
  worker.work = LocalWork(std::max(1u, options_.local_steps_max));
  worker.coming.resize(options_.blocks);
  worker.last_update_s = clock_.now_s();
  const Port port{options_.world.bytes_per_s, options_.world.bytes_per_s};
  notify(Join{HostId{w}, port, true, options_.aggregate});
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
  worker.update = {HostId{w}, ++sequence_};
  clock_.after(kMessage_s, [this, w] {
    const Worker& ready = workers_[w];
    ledger_.on_accepted(ready.update, ready.oldest);
    notify(PushReady{ready.update, ready.oldest_number});
  });
}

void Simulation::request_model(std::uint32_t w) {
  workers_[w].pulling = true;
  clock_.after(kMessage_s, [this, w] { notify(PullRequest{HostId{w}}); });
}

void Simulation::update_over(const UpdateId& update, BlockMask committed) {
  const std::uint32_t w = update.worker.value;
  Worker& worker = workers_[w];
  if (!worker.sealed) worker.seal();
  worker.pushing = false;
  if (committed != 0) {
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

void Simulation::begin_push(const Grant& grant) {
  if (const auto how = replica_.start(grant)) begin(Direction::kPush, grant, *how);
}

void Simulation::begin(Direction direction, const Grant& grant, RoundReplication how) {
  const double bytes = options_.model_bytes / options_.blocks;
  result_.staged_most_bytes = std::max(result_.staged_most_bytes, staged_bytes(grant, bytes));
  ++result_.rounds;
  for (const UpdateId& update : grant.updates) {  // The first block of an update seals it.
    Worker& worker = workers_[update.worker.value];
    if (worker.update != update || worker.sealed) continue;
    worker.seal();
    // A worker that had reached its limit of steps continues.
    if (options_.local_steps_max > 0 && !worker.computing) compute(update.worker.value);
  }
  if (direction == Direction::kPull) {
    for (const HostId member : grant.members) {
      workers_[member.value].coming[grant.block] = {ledger_.version(grant.block), clock_.now_s()};
    }
  }
  std::vector<LinkLoad> loads = loads_for(world_, direction, grant, how);
  // A member that is the only owner already has the data.
  if (loads.empty()) {
    clock_.after(0, [this, direction, grant, how] {
      commit({.round = grant.round, .direction = direction, .grant = grant, .how = how});
    });
    return;
  }
  double bytes_per_s = 1 / std::max(grant.plan.s_per_byte, 1e-15);
  if (how == RoundReplication::kMirrored) {
    // The plan does not know of the replica: the round loads its busiest port more.
    const std::vector<LinkLoad> planned =
        loads_for(world_, direction, grant, RoundReplication::kPlain);
    bytes_per_s *= busiest(planned) / busiest(loads);
  }
  const JobId job = network_.start(loads, bytes * kOverlapCharge, bytes_per_s);
  running_.emplace(job, Running{grant.round, direction, grant, how, std::move(loads)});
}

void Simulation::ended(JobId job) {
  const Running running = std::move(running_.at(job));
  running_.erase(job);
  sample(running);
  if (running.round == 0) {
    const std::uint32_t block = running.grant.block;
    for (const Grant& grant : replica_.on_acknowledged(block)) begin_push(grant);
    ship();
  } else {
    commit(running);
  }
  result_.divergence_most = std::max(result_.divergence_most, replica_.divergence());
}

void Simulation::commit(const Running& running) {
  if (running.direction == Direction::kPush) {
    ledger_.on_applied(running.grant, clock_.now_s());
    replica_.on_committed(running.grant, running.how);
    ship();
  }
  notify(RoundCommitted{running.round});
}

// Sends the replica the block that differs most, if that is due.
void Simulation::ship() {
  const auto block = replica_.next_shipment();
  if (!block) return;
  ++result_.shipments;
  const std::uint32_t workers = options_.world.workers;
  const std::uint32_t servers = options_.world.servers;
  std::vector<LinkLoad> loads = {{{Kind::kIn, workers + servers}, 1}};
  const std::uint32_t owners = servers > 0 ? servers : workers;
  for (std::uint32_t i = 0; i < owners; ++i) {
    loads.push_back({{Kind::kOut, servers > 0 ? workers + i : i}, 1.0 / owners});
  }
  const double bytes = options_.model_bytes / options_.blocks;
  const JobId job = network_.start(loads, bytes, 0.05 * options_.world.bytes_per_s);
  Running running{.loads = std::move(loads)};
  running.grant.block = *block;
  running_.emplace(job, std::move(running));
}

void Simulation::sample(const Running& running) {
  for (const LinkLoad& load : running.loads) {
    const double bytes_per_s = network_.capacity(load.link);
    if (const auto seen = samples_.take(load.link, bytes_per_s, clock_.now_s())) notify(*seen);
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
  const double rate = options_.world.bytes_per_s;
  for (std::uint32_t h = static_cast<std::uint32_t>(workers_.size()); h < world_.hosts(); ++h) {
    notify(Join{HostId{h}, Port{rate, rate}, false, false});
  }
  for (std::uint32_t w = 0; w < workers_.size(); ++w) clock_.after(0, [this, w] { join(w); });
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
  for (std::uint32_t b = 0; b < options_.blocks; ++b) {
    if (scheduler_.version(b) == ledger_.version(b)) continue;
    result_.violations.push_back(
        "the versions of the scheduler differ from those that were applied");
  }
  for (const Worker& worker : workers_) {
    result_.longest_silence_s =
        std::max(result_.longest_silence_s, clock_.now_s() - worker.last_update_s);
  }
  return std::move(result_);
}

}  // namespace

SimulationResult simulate(const SimulationOptions& options) { return Simulation(options).run(); }

}  // namespace surety::bench::sim
