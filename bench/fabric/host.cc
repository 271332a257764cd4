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
#include "bench/fabric/lane_job.h"
#include "bench/fabric/learning.h"
#include "bench/fabric/training.h"
#include "bench/ucx/ucx_transport.h"
#include "fabric/allreduce/round.h"
#include "fabric/sockets/socket_transport.h"
#include "test/support/base/posix/cpu_time.h"

namespace surety::bench {
namespace {

using namespace fabric;
using nlohmann::json;

constexpr double kPatience_s = 60;

double seconds_now() { return to_seconds(posix::now().time_since_epoch()); }

// Keeps messages that arrive while there is no receiver, and delivers them first when there is one.
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

class Host {
 public:
  explicit Host(std::uint32_t id) : self_{id} {}

  json answer(const json& command) {
    if (command.contains("ip")) return listen(command.at("ip"), command.at("transport"));
    if (command.contains("peers")) return connect(command.at("peers"));
    if (command.contains("prepare")) return prepare(lane_job_of(command.at("prepare")));
    if (command.contains("go")) return go();
    if (command.contains("train")) return run_training(command.at("train"));
    if (command.contains("check")) return {{"wrong", count_wrong(job_, vectors_)}};
    return {{"error", "an unknown command"}};
  }
  bool listens() const { return transport_ != nullptr; }
  // A transport may need calls from us to finish our last sends.
  void idle() {
    if (backlog_) backlog_->listen_in(std::chrono::milliseconds(2));
  }

 private:
  json listen(const std::string& ip, const std::string& transport) {
    const std::string address = ip + ":0";
    auto made = transport == "ucx"
                    ? make_ucx_transport({.listen = address})
                    : make_socket_transport({.network = NetworkOptions{.listen = address}});
    if (!made) return {{"error", made.error().message}};
    transport_ = *std::move(made);
    backlog_.emplace(*transport_);
    return {{"address", transport_->address()}};
  }

  json connect(const json& addresses);
  json prepare(const LaneJob& job);
  json go();
  json run_training(const json& job);
  Result<LaneRunCounts> run_lanes();
  Result<LaneRunCounts> run_rounds();

  const WorkerId self_;
  std::unique_ptr<WakeableTransport> transport_;
  std::optional<Backlogged> backlog_;
  std::optional<Rounds> rounds_;  // Rounds of all trainings.
  std::map<WorkerId, PeerId> peers_;
  LaneJob job_;
  LaneVectors vectors_;
};

// The host with the higher id connects to the one with the lower id, and sends its own id.
json Host::connect(const json& addresses) {
  const std::byte greeting{};
  for (std::uint32_t other = 0; other < self_.value; ++other) {
    const auto peer = transport_->connect(addresses.at(other));
    if (!peer) return {{"error", peer.error().message}};
    peers_[WorkerId{other}] = *peer;
    const auto sent = transport_->send(*peer, {.sender = self_.value}, {&greeting, 1});
    if (!sent) return {{"error", sent.error().message}};
  }
  std::size_t to_send = self_.value;
  const double until = seconds_now() + kPatience_s;
  while (peers_.size() + 1 < addresses.size() || to_send > 0) {
    for (const auto& event : backlog_->poll(std::chrono::milliseconds(100))) {
      if (const auto* lost = std::get_if<PeerLost>(&event)) return {{"error", lost->reason}};
      to_send -= std::holds_alternative<Sent>(event) ? 1 : 0;
      const auto* received = std::get_if<Received>(&event);
      if (received != nullptr) peers_[WorkerId{received->tag.sender}] = received->peer;
    }
    if (seconds_now() > until) return {{"error", "not all hosts have connected"}};
  }
  return json::object();
}

json Host::prepare(const LaneJob& job) {
  job_ = job;
  vectors_ = vectors_of(job, self_);
  return json::object();
}

Result<LaneRunCounts> Host::run_lanes() {
  LaneHost host(job_, self_, *backlog_, peers_, vectors_);
  LaneRun& run = host.run();
  const double until = seconds_now() + kPatience_s;
  std::vector<TransportEvent> events;
  while (true) {
    SURETY_TRY(const bool done, run.advance(posix::now(), std::move(events)));
    if (done) break;
    if (seconds_now() > until)
      return fail(ErrorCode::kTimeout, "host {} has waited too long", self_);
    events = backlog_->poll(std::chrono::milliseconds(20));
  }
  for (const std::string& refusal : run.refusals()) std::cerr << refusal << '\n';
  return run.counts();
}

Result<LaneRunCounts> Host::run_rounds() {
  const auto& members = job_.operation.sources;
  Rounds rounds(*backlog_, self_);
  const Schedule schedule = all_reduce(members, job_.operation.elements);
  SURETY_TRY(
      rounds.begin(job_.round,
                   std::make_shared<RoundExecutor>(
                       schedule, self_, std::vector<float>(members.size(), 1.0f), vectors_.output),
                   peers_));
  const double until = seconds_now() + kPatience_s;
  while (true) {
    SURETY_TRY(const bool done, rounds.advance(std::chrono::milliseconds(20)));
    if (done) return LaneRunCounts{};
    if (seconds_now() > until)
      return fail(ErrorCode::kTimeout, "host {} has waited too long", self_);
  }
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

// Host 0 is the server in the ways that have a server; otherwise it is idle.
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
