#include "bench/fabric/training.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/posix/clock.h"
#include "base/random.h"
#include "fabric/exchange/link.h"
#include "learn/local_replica.h"

namespace surety::bench {
namespace {

using namespace fabric;
using nlohmann::json;

constexpr Duration kLook = std::chrono::milliseconds(20);
constexpr double kPatience_s = 60;  // After the time to train.

class CountingLearner final : public Learner {
 public:
  CountingLearner(std::uint32_t host, std::uint64_t elements) : host_(host), elements_(elements) {}
  std::vector<float> first_model() override { return std::vector<float>(elements_, 0.0f); }
  Result<void> step(std::span<float> model) override {
    for (float& value : model) value += static_cast<float>(host_ % 4);
    return {};
  }
  Result<std::optional<double>> loss(std::span<const float>) override { return std::nullopt; }

 private:
  std::uint32_t host_;
  std::uint64_t elements_;
};

// What all ways have in common: the clock of computing, and what is counted.
class Trainer {
 public:
  Trainer(const json& job, HostId self, Learner& learner)
      : job_(job),
        learner_(learner),
        random_(Random(job.at("seed")).fork("steps", self.value)),
        began_(posix::now()),
        watches_(job.at("workers").front() == self.value),
        model_(learner.first_model()) {
    slowness_ = job.at("slowness").at(self.value);
  }

  [[nodiscard]] double now_s() const { return to_seconds(posix::now() - began_); }
  [[nodiscard]] bool over() const { return now_s() >= job_.at("seconds").get<double>(); }

  Result<void> begin_step() {
    ends_ = posix::now();
    SURETY_TRY(learner_.step(model_));
    ++steps_;
    // Log-normal, and one in twenty is two to four times as long where workers straggle.
    const double spread = job_.at("spread");
    double seconds = job_.at("step_s").get<double>() * slowness_;
    seconds *= std::exp(0.1 * random_.normal());
    if (random_.uniform() < spread) seconds *= 2 + 2 * random_.uniform();
    ends_ += from_seconds(seconds);
    computing_ = true;
    return {};
  }
  // True: the step under way has ended since the last call.
  bool step_ended() {
    if (!computing_ || posix::now() < ends_) return false;
    computing_ = false;
    return true;
  }
  [[nodiscard]] bool computing() const { return computing_; }
  [[nodiscard]] Duration wait() const {
    if (!computing_) return kLook;
    return std::clamp<Duration>(ends_ - posix::now(), Duration::zero(), kLook);
  }

  // A model that others' work is in.
  Result<void> got_model(std::span<const float> model) {
    if (now_s() >= job_.at("warm_s").get<double>() && !over()) ++updates_;
    if (!watches_) return {};
    SURETY_TRY(const auto loss, learner_.loss(model));
    if (loss) curve_.push_back({now_s(), *loss});
    return {};
  }

  [[nodiscard]] json answer(const std::vector<float>& last, double data, double control) const {
    double sum = 0;
    for (const float value : last) sum += value;
    return {{"steps", steps_},          {"updates", updates_}, {"data_bytes", data},
            {"control_bytes", control}, {"curve", curve_},     {"model_sum", sum},
            {"elements", last.size()}};
  }
  [[nodiscard]] const json& job() const { return job_; }
  [[nodiscard]] std::vector<float>& model() { return model_; }
  [[nodiscard]] std::size_t workers() const { return job_.at("workers").size(); }
  [[nodiscard]] float weight() const { return job_.at("weight"); }

 private:
  const json& job_;
  Learner& learner_;
  Random random_;
  const Time began_;
  const bool watches_;
  std::vector<float> model_;
  double slowness_ = 1;
  Time ends_{};
  bool computing_ = false;
  std::uint64_t steps_ = 0, updates_ = 0;
  std::vector<std::array<double, 2>> curve_;
};

ExchangeOptions options_of(const json& job, std::uint64_t elements) {
  constexpr double kRate = 12.5e6;
  ExchangeOptions options{
      .elements = elements,
      .blocks = job.at("blocks"),
      .quorum = {.mode = static_cast<TrainMode>(job.at("mode")), .batch = job.at("quorum")},
      .nominal = {kRate, kRate}};
  for (const json& host : job.at("workers")) {
    options.hosts.push_back(HostId{host.get<std::uint32_t>()});
  }
  const std::uint32_t owners = job.at("owners");
  for (std::uint32_t o = 0; o < owners; ++o) {
    options.owners.push_back({options.hosts[o], 1.0 / owners});
  }
  options.scheduler = options.hosts.front();
  return options;
}

Result<json> exchange(Trainer& trainer, HostId self, Rounds& rounds,
                      const std::map<HostId, PeerId>& peers) {
  const json& job = trainer.job();
  const auto options = options_of(job, trainer.model().size());
  Exchange exchange(options, self, trainer.model(), posix::now());
  ExchangeLink link({.id = job.at("id")}, rounds, exchange, peers, posix::now());
  learn::LocalReplica replica(trainer.model(), {.weight = trainer.weight()});
  const std::uint32_t unsent_max = job.at("overlap");  // Steps; 0: it waits.
  std::uint32_t unsent = 0;
  bool retired = false;
  while (!link.ended()) {
    if (trainer.step_ended()) ++unsent;
    if (const auto pulled = exchange.take_pulled()) {
      replica.adopt(pulled->model, {}, trainer.model());
      SURETY_TRY(trainer.got_model(pulled->model));
    }
    if (!retired && exchange.idle() && unsent > 0 && (unsent_max > 0 || !trainer.computing())) {
      // What a step under way will change has been changed already: it goes with the next update.
      SURETY_TRY(exchange.push(posix::now(), replica.seal(trainer.model(), trainer.model().size()),
                               std::exchange(unsent, 0)));
    }
    const bool may = unsent_max > 0 ? unsent < unsent_max : exchange.idle() && unsent == 0;
    if (!trainer.over() && !trainer.computing() && may) SURETY_TRY(trainer.begin_step());
    if (trainer.over() && !trainer.computing() && unsent == 0 && exchange.idle() && !retired) {
      retired = true;
      exchange.retire(posix::now());
    }
    SURETY_TRY(link.advance(posix::now()));
    if (trainer.now_s() > job.at("seconds").get<double>() + kPatience_s) {
      return fail(ErrorCode::kTimeout, "it does not end: {}", exchange.describe());
    }
    SURETY_TRY(rounds.advance(trainer.wait()));
  }
  return trainer.answer(exchange.take_model(), static_cast<double>(exchange.counts().data_bytes),
                        static_cast<double>(exchange.counts().control_bytes));
}

// ---- what we are measured against ---------------------------------------------------------------

std::vector<std::byte> bytes_of(std::span<const float> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}
std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// An empty update says that its worker ends.
Result<json> serve(Trainer& trainer, Rounds& rounds, const std::map<HostId, PeerId>& peers) {
  std::vector<float>& model = trainer.model();
  std::map<HostId, std::uint32_t> answers;
  double bytes_sent = 0;
  for (std::size_t left = trainer.workers(); left > 0 || rounds.sends_in_flight() > 0;) {
    SURETY_TRY(rounds.advance(kLook));
    for (const auto& [tag, bytes] : rounds.take_blobs(trainer.job().at("id"))) {
      if (bytes.empty()) --left;
      if (bytes.empty()) continue;
      const auto update = floats_of(bytes);
      for (std::size_t i = 0; i < model.size(); ++i) model[i] += trainer.weight() * update[i];
      const HostId worker{tag.sender};
      SURETY_TRY(rounds.send_blob(peers.at(worker),
                                  {.round = trainer.job().at("id"), .step = answers[worker]++},
                                  bytes_of(model)));
      bytes_sent += static_cast<double>(bytes.size());
    }
  }
  return trainer.answer(model, bytes_sent, 0);
}

Result<json> ask_server(Trainer& trainer, Rounds& rounds, PeerId server) {
  std::vector<float>& model = trainer.model();
  std::vector<float> base = model;
  std::uint32_t number = 0;
  const std::uint64_t id = trainer.job().at("id");
  while (!trainer.over()) {
    SURETY_TRY(trainer.begin_step());
    while (!trainer.step_ended()) SURETY_TRY(rounds.advance(trainer.wait()));
    for (std::size_t i = 0; i < model.size(); ++i) model[i] -= base[i];
    SURETY_TRY(rounds.send_blob(server, {.round = id, .step = number++}, bytes_of(model)));
    while (true) {
      SURETY_TRY(rounds.advance(kLook));
      const auto answer = rounds.take_blobs(id);
      if (answer.empty()) continue;
      model = base = floats_of(answer.front().second);
      break;
    }
    SURETY_TRY(trainer.got_model(model));
  }
  SURETY_TRY(rounds.send_blob(server, {.round = id, .step = number}, {}));
  while (rounds.sends_in_flight() > 0) SURETY_TRY(rounds.advance(kLook));
  return trainer.answer(model, 0, 0);
}

Result<json> ring(Trainer& trainer, HostId self, Rounds& rounds,
                  const std::map<HostId, PeerId>& peers) {
  std::vector<float>& model = trainer.model();
  std::vector<HostId> members;
  std::map<HostId, PeerId> others;
  for (const json& worker : trainer.job().at("workers")) {
    members.push_back(HostId{worker.get<std::uint32_t>()});
    if (members.back() != self) others[members.back()] = peers.at(members.back());
  }
  std::uint64_t round = trainer.job().at("id").get<std::uint64_t>() << 20;
  std::vector<float> update(model.size() + 1);  // The last one: how many want to end.
  while (update.back() == 0) {
    const std::vector<float> base = model;
    SURETY_TRY(trainer.begin_step());
    while (!trainer.step_ended()) SURETY_TRY(rounds.advance(trainer.wait()));
    for (std::size_t i = 0; i < model.size(); ++i) update[i] = model[i] - base[i];
    update.back() = trainer.over() ? 1 : 0;
    const Schedule schedule = all_reduce(members, update.size());
    SURETY_TRY(rounds.begin(
        ++round,
        std::make_shared<RoundExecutor>(
            schedule, self, std::vector<float>(members.size(), trainer.weight()), update),
        others));
    while (true) {
      SURETY_TRY(const bool done, rounds.advance(kLook));
      if (done) break;
    }
    for (std::size_t i = 0; i < model.size(); ++i) model[i] = base[i] + update[i];
    SURETY_TRY(trainer.got_model(model));
  }
  return trainer.answer(model, 0, 0);
}

}  // namespace

std::unique_ptr<Learner> make_counting_learner(std::uint32_t host, std::uint64_t elements) {
  return std::make_unique<CountingLearner>(host, elements);
}

Result<json> train(const json& job, HostId self, Rounds& rounds,
                   const std::map<HostId, PeerId>& peers, Learner& learner) {
  Trainer trainer(job, self, learner);
  const std::string way = job.at("way");
  if (way == "ring") return ring(trainer, self, rounds, peers);
  if (way == "naive" && self == HostId{0}) return serve(trainer, rounds, peers);
  if (way == "naive") return ask_server(trainer, rounds, peers.at(HostId{0}));
  std::map<HostId, PeerId> others;
  for (const json& worker : job.at("workers")) {
    const HostId host{worker.get<std::uint32_t>()};
    if (host != self) others[host] = peers.at(host);
  }
  return exchange(trainer, self, rounds, others);
}

}  // namespace surety::bench
