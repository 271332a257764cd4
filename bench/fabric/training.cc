#include "bench/fabric/training.h"

#include <cstring>

#include "base/posix/clock.h"

namespace surety::bench {
namespace {

using namespace fabric;
using nlohmann::json;

constexpr Duration kPollInterval = std::chrono::milliseconds(20);

Result<json> exchange(Trainer& trainer, WorkerId self, Rounds& rounds,
                      const std::map<WorkerId, PeerId>& peers) {
  ExchangeWorker worker(trainer, self, rounds, peers, posix::now());
  while (!worker.ended()) {
    SURETY_TRY(worker.advance(posix::now()));
    SURETY_TRY(rounds.advance(trainer.wait(posix::now())));
  }
  return worker.answer();
}

// ---- peers --------------------------------------------------------------------------------------

std::vector<std::byte> bytes_of(std::span<const float> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}
std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Result<void> learn_step(Trainer& trainer, Rounds& rounds) {
  SURETY_TRY(trainer.begin_step(posix::now()));
  while (!trainer.has_step_ended(posix::now())) {
    SURETY_TRY(rounds.advance(trainer.wait(posix::now())));
  }
  return {};
}

// Serves a model. An empty update means that its worker has ended.
Result<json> serve(Trainer& trainer, Rounds& rounds, const std::map<WorkerId, PeerId>& peers) {
  std::vector<float>& model = trainer.model();
  std::map<WorkerId, std::uint32_t> answers;
  double bytes_sent = 0;
  for (std::size_t left = trainer.workers(); left > 0 || rounds.sends().size() > 0;) {
    SURETY_TRY(rounds.advance(kPollInterval));
    for (const auto& [tag, bytes] : rounds.take_blobs(trainer.job().at("id"))) {
      if (bytes.empty()) --left;
      if (bytes.empty()) continue;
      const auto update = floats_of(bytes);
      for (std::size_t i = 0; i < model.size(); ++i) model[i] += trainer.weight() * update[i];
      const WorkerId worker{tag.sender};
      SURETY_TRY(rounds.send_blob(peers.at(worker),
                                  {.round = trainer.job().at("id"), .step = answers[worker]++},
                                  bytes_of(model)));
      bytes_sent += static_cast<double>(bytes.size());
    }
  }
  return trainer.answer(model, bytes_sent, 0);
}

Result<json> train_with_server(Trainer& trainer, Rounds& rounds, PeerId server) {
  std::vector<float>& model = trainer.model();
  std::vector<float> base = model;
  std::uint32_t number = 0;
  const std::uint64_t id = trainer.job().at("id");
  while (!trainer.is_over(posix::now())) {
    SURETY_TRY(learn_step(trainer, rounds));
    for (std::size_t i = 0; i < model.size(); ++i) model[i] -= base[i];
    SURETY_TRY(rounds.send_blob(server, {.round = id, .step = number++}, bytes_of(model)));
    while (true) {
      SURETY_TRY(rounds.advance(kPollInterval));
      const auto answer = rounds.take_blobs(id);
      if (answer.empty()) continue;
      model = base = floats_of(answer.front().second);
      break;
    }
    SURETY_TRY(trainer.on_model(posix::now(), model));
  }
  SURETY_TRY(rounds.send_blob(server, {.round = id, .step = number}, {}));
  while (rounds.sends().size() > 0) SURETY_TRY(rounds.advance(kPollInterval));
  return trainer.answer(model, 0, 0);
}

Result<json> ring(Trainer& trainer, WorkerId self, Rounds& rounds,
                  const std::map<WorkerId, PeerId>& peers) {
  std::vector<float>& model = trainer.model();
  std::vector<WorkerId> members;
  std::map<WorkerId, PeerId> others;
  for (const json& worker : trainer.job().at("workers")) {
    members.push_back(WorkerId{worker.get<std::uint32_t>()});
    if (members.back() != self) others[members.back()] = peers.at(members.back());
  }
  std::uint64_t round = trainer.job().at("id").get<std::uint64_t>() << 20;
  const std::uint32_t local_steps = trainer.job().at("local_steps");
  // The last element counts the workers that want to end.
  std::vector<float> update(model.size() + 1);
  while (update.back() == 0) {
    const std::vector<float> base = model;
    for (std::uint32_t step = 0; step < local_steps; ++step) {
      SURETY_TRY(learn_step(trainer, rounds));
    }
    for (std::size_t i = 0; i < model.size(); ++i) update[i] = model[i] - base[i];
    update.back() = trainer.is_over(posix::now()) ? 1 : 0;
    const Schedule schedule = all_reduce(members, update.size());
    SURETY_TRY(rounds.begin(
        ++round,
        std::make_shared<RoundExecutor>(
            schedule, self, std::vector<float>(members.size(), trainer.weight()), update),
        others));
    while (true) {
      SURETY_TRY(const bool done, rounds.advance(kPollInterval));
      if (done) break;
    }
    for (std::size_t i = 0; i < model.size(); ++i) model[i] = base[i] + update[i];
    SURETY_TRY(trainer.on_model(posix::now(), model));
  }
  return trainer.answer(model, 0, 0);
}

}  // namespace

Result<json> train(const json& job, WorkerId self, Rounds& rounds,
                   const std::map<WorkerId, PeerId>& peers, Learner& learner) {
  Trainer trainer(job, self, learner, posix::now());
  const std::string way = job.at("way");
  if (way == "ring") return ring(trainer, self, rounds, peers);
  if (way == "naive" && self == WorkerId{0}) return serve(trainer, rounds, peers);
  if (way == "naive") return train_with_server(trainer, rounds, peers.at(WorkerId{0}));
  std::map<WorkerId, PeerId> others;
  for (const json& worker : job.at("workers")) {
    const WorkerId host{worker.get<std::uint32_t>()};
    if (host != self) others[host] = peers.at(host);
  }
  return exchange(trainer, self, rounds, others);
}

}  // namespace surety::bench
