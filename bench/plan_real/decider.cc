#include "decider.h"

#include <utility>

#include "base/check.h"
#include "base/overloaded.h"

namespace surety::bench {
namespace {

Place place_of(const plan::Block& block) {
  SURETY_CHECK(block.counts.size() == 1 && block.nodes == 1);
  return {block.version, block.counts[0].type};
}

class PlanFollower final : public Decider {
 public:
  explicit PlanFollower(const plan::Plan& plan)
      : plan_(plan), controller_(plan), block_(plan.first_block) {}

  Place begin() override { return place_of(plan_.blocks[block_]); }

  Answer next(const Observation& seen) override {
    controller_.observe({block_, seen.seconds, seen.pass_s, seen.metric, seen.metric_se});
    const plan::Step step = controller_.next({seen.seconds, seen.seconds_left, {}});
    return std::visit(
        Overloaded{[](const plan::Stop& stop) -> Answer { return StopNow{stop.target_met}; },
                   [this](const plan::SwitchTo& to) -> Answer {
                     block_ = to.block;
                     return TrainAt{place_of(plan_.blocks[block_])};
                   },
                   [this](const plan::Continue&) -> Answer {
                     return TrainAt{place_of(plan_.blocks[block_])};
                   }},
        step.action);
  }

 private:
  plan::Plan plan_;
  plan::Controller controller_;
  std::uint32_t block_;
};

class BlindFollower final : public Decider {
 public:
  explicit BlindFollower(std::vector<FixedLeg> legs) : legs_(std::move(legs)) {
    SURETY_CHECK(!legs_.empty());
  }

  Place begin() override { return legs_.front().place; }

  Answer next(const Observation& seen) override {
    std::uint32_t planned = 0;
    for (const FixedLeg& leg : legs_) {
      planned += leg.passes;
      if (seen.pass < planned) return TrainAt{leg.place};
    }
    return StopNow{false};
  }

 private:
  std::vector<FixedLeg> legs_;
};

}  // namespace

std::unique_ptr<Decider> follow(const plan::Plan& plan) {
  return std::make_unique<PlanFollower>(plan);
}

std::unique_ptr<Decider> follow_blindly(std::vector<FixedLeg> legs) {
  return std::make_unique<BlindFollower>(std::move(legs));
}

}  // namespace surety::bench
