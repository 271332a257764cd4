#include "realised.h"

#include <algorithm>

namespace surety::bench {
namespace {

using namespace plan;

class ToTheEnd : public Policy {
 public:
  explicit ToTheEnd(const Schedule& schedule) : schedule_(schedule) {}

  [[nodiscard]] std::size_t first_variant() const override { return schedule_.front().variant; }
  [[nodiscard]] Move next(const DecisionState& state) const override {
    if (!(state.seconds_left > 0)) return {Choice::kStopNoTime, 0, 0};
    const std::size_t leg = state.leg;
    if (state.passes_in_leg < schedule_[leg].passes) {
      return {Choice::kContinue, schedule_[leg].variant, leg};
    }
    if (leg + 1 == schedule_.size()) return {Choice::kStopMet, 0, 0};
    return {Choice::kSwitch, schedule_[leg + 1].variant, leg + 1};
  }

 private:
  const Schedule& schedule_;
};

}  // namespace

Realised run_to_end(const Setting& world, const Schedule& schedule, std::uint64_t seed,
                    std::uint32_t runs) {
  std::uint32_t successes = 0;
  bool met = false;
  SimulateOptions options{.seed = seed, .runs = runs};
  options.watch = [&](const DecisionState& state, const Move& move) {
    met = met || state.metric <= world.target;
    if (!move.stops()) return;
    successes += met;
    met = false;
  };
  const Outcome outcome = simulate(world, ToTheEnd(schedule), options);
  return {static_cast<double>(successes) / runs, outcome.cost_mean};
}

Realised realise(const Setting& world, const Policy& policy, std::uint64_t seed,
                 std::uint32_t runs) {
  const Outcome outcome = simulate(world, policy, {.seed = seed, .runs = runs});
  return {outcome.probability, outcome.cost_mean};
}

Realised realise(const Setting& world, const Schedule& schedule, std::uint64_t seed,
                 std::uint32_t runs) {
  return realise(world, FixedSchedule(world, schedule), seed, runs);
}

std::optional<double> cost_at(const std::vector<Realised>& plans, double probability) {
  std::optional<double> best;
  const auto offer = [&](double cost) { best = best ? std::min(*best, cost) : cost; };
  for (const Realised& high : plans) {
    if (high.probability < probability) continue;
    offer(high.cost);
    for (const Realised& low : plans) {
      if (low.probability >= probability) continue;
      const double share = (probability - low.probability) / (high.probability - low.probability);
      offer(low.cost + share * (high.cost - low.cost));
    }
  }
  return best;
}

}  // namespace surety::bench
