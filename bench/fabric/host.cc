#include "bench/fabric/host.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/posix/clock.h"
#include "bench/fabric/learning.h"
#include "bench/fabric/training.h"
#include "fabric/lanes/run.h"
#include "fabric/round.h"
#include "fabric/ucx/ucx_transport.h"

namespace surety::bench {
namespace {

using namespace fabric;
using nlohmann::json;

constexpr double kPatience_s = 60;

double seconds_now() { return to_seconds(posix::now().time_since_epoch()); }

// Hands out first what came while nobody listened.
class Backlogged final : public Transport {
 public:
  explicit Backlogged(Transport& inner) : inner_(inner) {}
  const std::string& address() const override { return inner_.address(); }
  Result<PeerId> connect(const std::string& address) override { return inner_.connect(address); }
  Result<std::uint64_t> send(PeerId peer, const Tag& tag,
                             std::span<const std::byte> bytes) override {
    return inner_.send(peer, tag, bytes);
  }
  std::vector<TransportEvent> poll(Duration wait) override {
    if (backlog_.empty()) return inner_.poll(wait);
    return std::exchange(backlog_, {});
  }
  void disconnect(PeerId peer) override { inner_.disconnect(peer); }
  std::optional<PortBytes> port_bytes() override { return inner_.port_bytes(); }

  void listen_in(Duration wait) {
    for (auto& event : inner_.poll(wait)) backlog_.push_back(std::move(event));
  }

 private:
  Transport& inner_;
  std::vector<TransportEvent> backlog_;
};

// Whole numbers, so that a sum is exact in any order.
float value_of(std::uint32_t host, std::uint64_t element) {
  return static_cast<float>((element * 31 + host * 7) % 17) - 8.0f;
}

struct Job {
  std::string way;  // "lanes", "direct" (all to the owner at once) or "ring" (fabric/round.h).
  std::uint64_t round = 0;
  Operation operation{};
  HostId planner;
  std::vector<HostId> hubs;
  std::vector<Port> ports;
  std::uint32_t window_first = 2, window_max = 8;
  bool measures = true;
};

std::vector<HostId> hosts_in(const json& list) {
  std::vector<HostId> hosts;
  for (const json& host : list) hosts.push_back(HostId{host.get<std::uint32_t>()});
  return hosts;
}

Job job_of(const json& text) {
  Job job;
  job.way = text.at("way");
  job.round = text.at("round");
  job.operation = {.sources = hosts_in(text.at("sources")),
                   .sinks = hosts_in(text.at("sinks")),
                   .elements = text.at("elements"),
                   .blocks = text.at("blocks")};
  job.planner = HostId{text.at("planner")};
  job.hubs = hosts_in(text.at("hubs"));
  job.window_first = text.at("window_first");
  job.window_max = text.at("window_max");
  job.measures = text.at("measures");
  for (const json& port : text.at("ports")) {
    job.ports.push_back({.out_bytes_per_s = port.at(0), .in_bytes_per_s = port.at(1)});
  }
  return job;
}

class Host {
 public:
  explicit Host(std::uint32_t id) : self_{id} {}

  json answer(const json& command) {
    if (command.contains("ip")) return listen(command.at("ip"));
    if (command.contains("peers")) return connect(command.at("peers"));
    if (command.contains("prepare")) return prepare(job_of(command.at("prepare")));
    if (command.contains("go")) return go();
    if (command.contains("train")) return run_training(command.at("train"));
    if (command.contains("check")) return {{"wrong", count_wrong()}};
    return {{"error", "an unknown command"}};
  }
  bool listens() const { return transport_ != nullptr; }
  // What UCX has taken of our last sends may still need us to move.
  void idle() {
    if (backlog_) backlog_->listen_in(std::chrono::milliseconds(2));
  }

 private:
  json listen(const std::string& ip) {
    auto made = make_ucx_transport({.listen = ip + ":0"});
    if (!made) return {{"error", made.error().message}};
    transport_ = *std::move(made);
    backlog_.emplace(*transport_);
    return {{"address", transport_->address()}};
  }

  json connect(const json& addresses);
  json prepare(const Job& job);
  json go();
  json run_training(const json& job);
  Result<LaneRunCounts> run_lanes();
  Result<LaneRunCounts> run_rounds();
  std::uint64_t count_wrong() const;

  const HostId self_;
  std::unique_ptr<WakeableTransport> transport_;
  std::optional<Backlogged> backlog_;
  std::optional<Rounds> rounds_;  // Of all trainings.
  std::map<HostId, PeerId> peers_;
  Job job_;
  std::vector<float> input_, output_;
};

// The higher id calls the lower one; a greeting says who calls.
json Host::connect(const json& addresses) {
  const std::byte greeting{};
  for (std::uint32_t other = 0; other < self_.value; ++other) {
    const auto peer = transport_->connect(addresses.at(other));
    if (!peer) return {{"error", peer.error().message}};
    peers_[HostId{other}] = *peer;
    const auto sent = transport_->send(*peer, {.sender = self_.value}, {&greeting, 1});
    if (!sent) return {{"error", sent.error().message}};
  }
  std::size_t to_send = self_.value;
  const double until = seconds_now() + kPatience_s;
  while (peers_.size() + 1 < addresses.size() || to_send > 0) {
    for (const auto& event : transport_->poll(std::chrono::milliseconds(100))) {
      if (const auto* lost = std::get_if<PeerLost>(&event)) return {{"error", lost->reason}};
      to_send -= std::holds_alternative<Sent>(event) ? 1 : 0;
      const auto* received = std::get_if<Received>(&event);
      if (received != nullptr) peers_[HostId{received->tag.sender}] = received->peer;
    }
    if (seconds_now() > until) return {{"error", "not all hosts are there"}};
  }
  return json::object();
}

bool has(const std::vector<HostId>& hosts, HostId host) {
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

json Host::prepare(const Job& job) {
  job_ = job;
  const std::uint64_t elements = job.operation.elements;
  input_.assign(has(job.operation.sources, self_) ? elements : 0, 0);
  output_.assign(has(job.operation.sinks, self_) ? elements : 0, -1);
  for (std::uint64_t i = 0; i < input_.size(); ++i) input_[i] = value_of(self_.value, i);
  if (job.way == "ring") output_ = input_;
  return json::object();
}

Result<LaneRunCounts> Host::run_lanes() {
  BlockPlanner planner(job_.operation, job_.way == "direct" ? std::vector<HostId>{} : job_.hubs);
  PortBook book(job_.ports);
  const bool plans = self_ == job_.planner;
  LaneRun run(*backlog_, self_, peers_,
              {.round = job_.round,
               .planner = job_.planner,
               .window_first = job_.window_first,
               .window_max = job_.window_max,
               .measures = job_.measures},
              std::make_unique<LaneExecutor>(job_.operation, self_, LaneExecutor::Options{}, input_,
                                             output_),
              plans ? LanePlanning{&planner, &book} : LanePlanning{});
  const double until = seconds_now() + kPatience_s;
  std::vector<TransportEvent> events;
  while (true) {
    SURETY_TRY(const bool done, run.advance(posix::now(), std::move(events)));
    if (done) break;
    if (seconds_now() > until) return fail(ErrorCode::kTimeout, "host {} waits", self_);
    events = backlog_->poll(std::chrono::milliseconds(20));
  }
  for (const std::string& refusal : run.refusals()) std::cerr << refusal << '\n';
  return run.counts();
}

Result<LaneRunCounts> Host::run_rounds() {
  const auto& members = job_.operation.sources;
  Rounds rounds(*backlog_, self_);
  const Schedule schedule = all_reduce(members, job_.operation.elements);
  SURETY_TRY(rounds.begin(job_.round,
                          std::make_shared<RoundExecutor>(
                              schedule, self_, std::vector<float>(members.size(), 1.0f), output_),
                          peers_));
  const double until = seconds_now() + kPatience_s;
  while (true) {
    SURETY_TRY(const bool done, rounds.advance(std::chrono::milliseconds(20)));
    if (done) return LaneRunCounts{};
    if (seconds_now() > until) return fail(ErrorCode::kTimeout, "host {} waits", self_);
  }
}

std::uint64_t Host::count_wrong() const {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < output_.size(); ++i) {
    float sum = 0;
    for (const HostId source : job_.operation.sources) sum += value_of(source.value, i);
    wrong += output_[i] != sum ? 1 : 0;
  }
  return wrong;
}

json Host::go() {
  const double cpu_s = posix::process_cpu_seconds();
  const double begin_s = seconds_now();
  const auto counts = job_.way == "ring" ? run_rounds() : run_lanes();
  const double end_s = seconds_now();
  if (!counts) return {{"error", counts.error().message}};
  return {{"begin_s", begin_s},
          {"end_s", end_s},
          {"cpu_s", posix::process_cpu_seconds() - cpu_s},
          {"data_bytes", counts->data_bytes},
          {"control_bytes", counts->control_bytes},
          {"staged_bytes", counts->staged_bytes_max}};
}

// Host 0 is the server of the ways that have one, else it looks on.
json Host::run_training(const json& job) {
  const auto& workers = job.at("workers");
  const bool works = std::find(workers.begin(), workers.end(), json(self_.value)) != workers.end();
  if (!works && job.at("way") != "naive") return json::object();
  if (!rounds_) rounds_.emplace(*backlog_, self_);
  const double cpu_s = posix::process_cpu_seconds();
  std::unique_ptr<Learner> learner = make_counting_learner(self_.value, job.at("elements"));
  if (job.contains("learning")) {
    const json& how = job.at("learning");
    auto made = make_learner({.data = how.at("data"),
                              .validation = how.at("validation"),
                              .index = std::max(1u, self_.value) - 1,
                              .workers = static_cast<std::uint32_t>(workers.size()),
                              .learning_rate = how.at("learning_rate")});
    if (!made) return {{"error", made.error().message}};
    learner = *std::move(made);
  }
  auto answer = train(job, self_, *rounds_, peers_, *learner);
  if (!answer) return {{"error", answer.error().message}};
  (*answer)["cpu_s"] = posix::process_cpu_seconds() - cpu_s;
  return *std::move(answer);
}

}  // namespace

int run_host(std::uint32_t id) {
  Host host(id);
  std::string text;
  while (true) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, host.listens() ? 0 : 100) == 0) {
      host.idle();
      continue;
    }
    char buffer[4096];
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count <= 0) return 0;
    text.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      std::cout << host.answer(json::parse(text.substr(0, end))).dump() << std::endl;
      text.erase(0, end + 1);
    }
  }
}

}  // namespace surety::bench
