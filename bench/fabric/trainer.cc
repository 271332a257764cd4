#include "bench/fabric/trainer.h"

#include <algorithm>

namespace surety::bench {
namespace {

using namespace fabric;
using nlohmann::json;

constexpr Duration kPollInterval = std::chrono::milliseconds(20);
constexpr double kPatience_s = 60;  // Seconds after the end of the training time.

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

ExchangeOptions options_of(const json& job, std::uint64_t elements) {
  const double rate = job.at("world").at("bytes_per_s");
  ExchangeOptions options{
      .elements = elements, .blocks = job.at("blocks"), .nominal = {rate, rate}};
  for (const json& host : job.at("workers")) {
    options.workers.push_back(WorkerId{host.get<std::uint32_t>()});
  }
  const std::uint32_t owners = job.at("owners");
  for (std::uint32_t o = 0; o < owners; ++o) {
    options.owners.push_back({options.workers[o], 1.0 / owners});
  }
  options.scheduler = options.workers.front();
  return options;
}

}  // namespace

std::unique_ptr<Learner> make_counting_learner(std::uint32_t host, std::uint64_t elements) {
  return std::make_unique<CountingLearner>(host, elements);
}

Trainer::Trainer(const json& job, WorkerId self, Learner& learner, Time now)
    : job_(job),
      learner_(learner),
      world_(world_of(job.at("world"))),
      worker_(std::max(1u, self.value) - 1),  // A server takes no steps.
      seconds_(job.at("seconds")),
      warm_s_(job.at("warm_s")),
      began_(now),
      watches_(job.at("workers").front() == self.value),
      model_(learner.first_model()) {}

Result<void> Trainer::begin_step(Time now) {
  SURETY_TRY(learner_.step(model_));
  ++steps_;
  ends_ = now + from_seconds(world_.step_s(worker_));
  is_computing_ = true;
  return {};
}

bool Trainer::has_step_ended(Time now) {
  if (!is_computing_ || now < ends_) return false;
  is_computing_ = false;
  return true;
}

Duration Trainer::wait(Time now) const {
  if (!is_computing_) return kPollInterval;
  return std::clamp<Duration>(ends_ - now, Duration::zero(), kPollInterval);
}

Result<void> Trainer::on_model(Time now, std::span<const float> model) {
  if (seconds_at(now) >= warm_s_ && !is_over(now)) ++updates_;
  if (!watches_) return {};
  SURETY_TRY(const auto loss, learner_.loss(model));
  if (loss) curve_.push_back({seconds_at(now), *loss});
  return {};
}

json Trainer::answer(const std::vector<float>& last, double data, double control) const {
  double sum = 0;
  for (const float value : last) sum += value;
  return {{"steps", steps_},          {"updates", updates_}, {"data_bytes", data},
          {"control_bytes", control}, {"curve", curve_},     {"model_sum", sum},
          {"elements", last.size()}};
}

ExchangeWorker::ExchangeWorker(Trainer& trainer, WorkerId self, Rounds& rounds,
                               const std::map<WorkerId, PeerId>& peers, Time now)
    : trainer_(trainer),
      exchange_(options_of(trainer.job(), trainer.model().size()), self, trainer.model(), now),
      link_({.id = trainer.job().at("id")}, rounds, exchange_, peers, now),
      replica_(trainer.model(), {.weight = trainer.weight()}),
      unsent_max_(trainer.job().at("overlap")) {}

Result<void> ExchangeWorker::advance(Time now) {
  if (trainer_.has_step_ended(now)) ++unsent_;
  if (const auto pulled = exchange_.take_pulled()) {
    replica_.adopt(pulled->model, {}, trainer_.model());
    SURETY_TRY(trainer_.on_model(now, pulled->model));
  }
  const bool computing = trainer_.is_computing();
  if (!retired_ && exchange_.idle() && unsent_ > 0 && (unsent_max_ > 0 || !computing)) {
    // The local model already contains the step that is being computed, which is sent with the next
    // update.
    SURETY_TRY(exchange_.push(now, replica_.seal(trainer_.model(), trainer_.model().size())));
    unsent_ = 0;
  }
  const bool may = unsent_max_ > 0 ? unsent_ < unsent_max_ : exchange_.idle() && unsent_ == 0;
  if (!trainer_.is_over(now) && !computing && may) SURETY_TRY(trainer_.begin_step(now));
  if (trainer_.is_over(now) && !trainer_.is_computing() && unsent_ == 0 && exchange_.idle() &&
      !retired_) {
    retired_ = true;
    exchange_.retire(now);
  }
  SURETY_TRY(link_.advance(now));
  if (trainer_.seconds_at(now) > trainer_.job().at("seconds").get<double>() + kPatience_s) {
    return fail(ErrorCode::kTimeout, "the exchange does not end");
  }
  return {};
}

json ExchangeWorker::answer() {
  return trainer_.answer(exchange_.take_model(), static_cast<double>(link_.data_bytes()),
                         static_cast<double>(link_.control_bytes()));
}

}  // namespace surety::bench
