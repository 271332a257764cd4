#include "plan/planner/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/words.h"
#include "plan/closed_loop/calibrate.h"
#include "plan/closed_loop/closed_loop.h"
#include "plan/decision/drift.h"
#include "plan/plan_text.h"
#include "plan/words.h"

namespace surety::plan {
namespace {

// One bad pass in twenty is no drift, but three in a row are.
constexpr std::uint32_t kPassesBehindMin = 3;

// Interpolates between the points; constant before the first and after the last.
Band band_at(const std::vector<Band>& bands, double seconds) {
  const auto after = std::ranges::upper_bound(bands, seconds, {}, &Band::seconds);
  if (after == bands.begin()) return bands.front();
  if (after == bands.end()) return bands.back();
  const Band& a = *(after - 1);
  const Band& b = *after;
  const double share = (seconds - a.seconds) / (b.seconds - a.seconds);
  const auto between = [&](double x, double y) { return x + share * (y - x); };
  return {seconds, between(a.q05, b.q05), between(a.q50, b.q50), between(a.q95, b.q95)};
}

// A fixed schedule for the policy: its variants are the blocks of the plan. What a plan by hand
// does not know counts as 0, so it does not end the run.
std::vector<BlockTime> block_times_of(const Plan& plan) {
  std::vector<BlockTime> times;
  for (const Block& block : plan.blocks) {
    times.push_back({times.size(), block.passes, block.pass_s.value_or(0),
                     block.switch_s.value_or(0), block.price_per_s.value_or(0)});
  }
  return times;
}

}  // namespace

class Controller::Impl {
 public:
  Impl(Plan plan, Metric metric) : plan_(std::move(plan)), metric_(metric), alarm_(drift_options_) {
    SURETY_CHECK(!plan_.blocks.empty() && plan_.first_block < plan_.blocks.size());
    block_ = plan_.first_block;
    if (plan_.policy) {
      SURETY_CHECK(plan_.claims);
      follow(std::make_shared<const ClosedLoop>(
          std::make_shared<ClosedLoopModel>(plan_.claims->setting, options_of(*plan_.policy)),
          plan_.policy->lambda));
      belief_.emplace(setting(), block_);
    } else {
      policy_ = std::make_shared<const FixedSchedule>(block_times_of(plan_), plan_.stop_metric,
                                                      plan_.certify_s);
    }
  }

  void observe(const PassSeen& seen) {
    SURETY_CHECK(seen.block < plan_.blocks.size());
    passes_done_ += 1;
    passes_in_block_ = seen.block == block_ && last_ ? passes_in_block_ + 1 : 1;
    const bool switched = last_ && seen.block != block_;
    block_ = seen.block;
    planned_s_ += plan_.blocks[block_].pass_s.value_or(0);
    if (switched) planned_s_ += plan_.blocks[block_].switch_s.value_or(0);
    behind_ = is_behind(plan_, seen.seconds, seen.metric) ? behind_ + 1 : 0;
    if (belief_) learn(seen, switched);
    last_ = seen;
  }

  [[nodiscard]] Step next(const Moment& now) const {
    if (!last_) return {Continue{}, "the plan begins with " + block_text(plan_.blocks[block_])};
    DecisionState state;
    state.seconds_left = now.seconds_left;
    // A run that began faster than the plan expects has more time left than the plan has.
    state.seconds = belief_ ? std::max(0.0, setting().deadline_s - now.seconds_left) : now.seconds;
    state.money_left = now.money_left;
    state.metric = last_->metric;
    state.variant = state.leg = block_;
    state.passes_in_leg = passes_in_block_;
    state.belief = belief_ ? &*belief_ : nullptr;
    const Move move = policy_->next(state);
    switch (move.choice) {
      case Choice::kStopMet:
        return {Stop{true}, met()};
      case Choice::kSwitch:
        return {SwitchTo{static_cast<std::uint32_t>(move.variant)}, change_to(state, move)};
      case Choice::kStopNoTime:
        return {Stop{false}, no_time(now)};
      case Choice::kStopNoMoney:
        return {Stop{false}, no_money(now)};
      case Choice::kStopHopeless:
        return {Stop{false},
                "no way to continue reaches the target with a probability of more than 2 %: "
                "stopping saves the cost"};
      case Choice::kContinue:
        break;
    }
    return {Continue{}, continue_reason(state, now), behind_ >= kPassesBehindMin};
  }

  [[nodiscard]] std::optional<std::string> take_remark() {
    return std::exchange(remark_, std::nullopt);
  }
  [[nodiscard]] std::uint32_t block() const { return block_; }

 private:
  static ClosedLoopOptions options_of(const PolicySpec& spec) {
    return {.grid = {spec.levels, spec.ticks}, .classes = spec.classes, .mask = {}};
  }

  [[nodiscard]] const Setting& setting() const { return closed_->model().setting(); }

  void follow(std::shared_ptr<const ClosedLoop> policy) {
    closed_ = policy.get();
    policy_ = std::move(policy);
  }

  void learn(const PassSeen& seen, bool switched) {
    const VersionLaw& law = setting().law_of(seen.block);
    const double before = belief_->metric();
    belief_->on_pass(seen.block, seen.metric);
    DriftPass pass{seen.block, seen.pass_s, belief_->surprise(), {}};
    const double from = law.curve.progress(std::max(before, law.curve.lowest()));
    const double to = law.curve.progress(std::max(belief_->metric(), law.curve.lowest()));
    if (!switched) pass.progress_share = (to - from) / law.rate;
    passes_.push_back(pass);
    const Drift drift = alarm_.add(setting(), pass);
    if (drift != Drift::kNone) plan_again(seen, drift);
  }

  // Replans because the laws are wrong: takes laws that agree with this run, and the least value of
  // a success that keeps the promise from here. If none does, takes the highest value.
  void plan_again(const PassSeen& seen, Drift drift) {
    const double metric = belief_->metric();
    const double lambda = closed_->lambda();
    auto model = std::make_shared<ClosedLoopModel>(refit(setting(), passes_, drift_options_),
                                                   closed_->model().options());
    const MidRunState here{.seconds = seen.seconds,
                           .cost = 0,
                           .variant = seen.block,
                           .metric = metric,
                           .passes = passes_done_};
    const Recalibration recalibrated = recalibrate(model, lambda, here);
    remark_ = fmt::format(
        "{} is slower than planned, by more than chance explains: planned again with the "
        "observations of {} passes; {}",
        drift == Drift::kLearning ? "learning" : "the cluster", passes_.size(),
        recalibrated.probability >= model->setting().probability
            ? fmt::format("the promise can still be kept with a probability of {:.1f} %",
                          100 * recalibrated.probability)
            : fmt::format(
                  "the promise of {} can now be kept with a probability of at most {:.1f} %",
                  chosen_percent(model->setting().probability), 100 * recalibrated.probability));
    follow(recalibrated.policy);
    belief_.emplace(setting(), seen.block, metric);
    alarm_.reset();
    passes_.clear();
  }

  [[nodiscard]] std::string met() const {
    if (!belief_) {
      return fmt::format("{} is {} {}", measured(last_->metric), bound_words(metric_),
                         shown(plan_.stop_metric));
    }
    return fmt::format("{} is good enough to be certified with a probability of {:.1f} %",
                       measured(last_->metric), 100 * certified_chance(setting(), last_->metric));
  }

  [[nodiscard]] std::string shown(double value) const {
    return short_number(shown_metric(metric_, value));
  }
  // An example is "accuracy 0.936".
  [[nodiscard]] std::string measured(double value) const {
    return fmt::format("{} {}", metric_words(metric_), shown(value));
  }

  [[nodiscard]] std::string change_to(const DecisionState& state, const Move& move) const {
    const Block& here = plan_.blocks[block_];
    const Block& there = plan_.blocks[move.variant];
    if (!belief_) {
      return fmt::format("{} passes of {} are done: the next block is {}", passes_in_block_,
                         here.version, block_text(there));
    }
    const auto [unchanged, changed] = two_options(state, move.variant);
    if (unchanged && !unchanged->admissible) {
      return fmt::format(
          "{} would reach the target with a probability of {:.1f} %, {} with {:.1f} %",
          block_text(here), 100 * unchanged->success, block_text(there), 100 * changed->success);
    }
    return fmt::format(
        "{} is cheaper from {} on, and reaches the target with a probability of {:.1f} %",
        block_text(there), measured(belief_->metric()), 100 * changed->success);
  }

  [[nodiscard]] std::pair<std::optional<ClosedLoop::Option>, std::optional<ClosedLoop::Option>>
  two_options(const DecisionState& state, std::size_t variant) const {
    std::optional<ClosedLoop::Option> unchanged;
    std::optional<ClosedLoop::Option> changed;
    for (const ClosedLoop::Option& option : closed_->options(state)) {
      if (option.stop) continue;
      if (option.variant == block_) unchanged = option;
      if (option.variant == variant) changed = option;
    }
    return {unchanged, changed};
  }

  [[nodiscard]] std::string no_time(const Moment& now) const {
    const Block& here = plan_.blocks[block_];
    std::string text = fmt::format(
        "no time is left for another pass: {} are left until the certification must begin",
        precise_time_words(now.seconds_left));
    if (here.pass_s) {
      text += fmt::format(", and a pass of {} takes {}", here.version,
                          precise_time_words(*here.pass_s));
    }
    if (plan_.certify_s > 0) {
      text += fmt::format(", and the certification takes {}", precise_time_words(plan_.certify_s));
    }
    return text;
  }

  [[nodiscard]] std::string no_money(const Moment& now) const {
    const Block& here = plan_.blocks[block_];
    const double left = std::max(0.0, now.money_left.value_or(0));
    const double planned = here.pass_s.value_or(0) * here.price_per_s.value_or(0);
    std::string text = fmt::format(
        "no money is left for another pass: {:.4g} of the budget is left after the cost of "
        "certifying is reserved",
        left);
    if (planned > left) {
      text += fmt::format(", and a pass of {} costs {:.4g}", here.version, planned);
    } else if (planned > 0) {
      text += fmt::format(", and a pass of {} costs more than the planned {:.4g}", here.version,
                          planned);
    }
    return text;
  }

  [[nodiscard]] std::string continue_reason(const DecisionState& state, const Moment& now) const {
    const Block& here = plan_.blocks[block_];
    std::string text;
    if (belief_) {
      const auto [unchanged, changed] = two_options(state, block_);
      text =
          fmt::format("{} continues at {}, and reaches the target with a probability of {:.1f} %",
                      block_text(here), measured(belief_->metric()), 100 * unchanged->success);
    } else if (passes_in_block_ < here.passes) {
      text = fmt::format("pass {} of {} of {}", passes_in_block_ + 1, here.passes, here.version);
    } else {
      text = fmt::format("{} is not yet {} {}, and {} are left: {} continues",
                         measured(last_->metric), bound_words(metric_), shown(plan_.stop_metric),
                         precise_time_words(now.seconds_left), here.version);
    }
    return behind_ >= kPassesBehindMin ? text + behind_words() : text;
  }

  // Why the metric is outside of the band of the plan, which is over time. If it is as planned for
  // so many passes, the passes are late and not the learning.
  [[nodiscard]] std::string behind_words() const {
    if (last_->seconds > planned_s_ && !is_behind(plan_, planned_s_, last_->metric)) {
      return fmt::format(
          "; the passes take longer than planned: {} ended after {}, and the plan expects this "
          "after {}; {} is as planned for so many passes",
          counted(passes_done_, "pass"), precise_time_words(last_->seconds),
          precise_time_words(planned_s_), measured(last_->metric));
    }
    const Band band = band_at(plan_.claims->bands, last_->seconds);
    const bool rises = metric_ == Metric::kAccuracy;  // For accuracy the larger number is better.
    return fmt::format(
        "; the metric has been worse than planned for {} passes: it is {}, and the plan expects {} "
        "to {}",
        behind_, shown(last_->metric), shown(rises ? band.q95 : band.q05),
        shown(rises ? band.q05 : band.q95));
  }

  Plan plan_;
  Metric metric_;
  DriftOptions drift_options_;
  std::shared_ptr<const Policy> policy_;
  const ClosedLoop* closed_ = nullptr;  // Points to policy_ if it is a closed loop.
  std::optional<RunBelief> belief_;     // Set for closed-loop plans only.
  DriftAlarm alarm_;
  std::vector<DriftPass> passes_;  // Passes since the laws were last fitted; filled by learn().
  std::optional<PassSeen> last_;
  std::uint32_t block_ = 0;
  std::uint32_t passes_done_ = 0;
  std::uint32_t passes_in_block_ = 0;
  std::uint32_t behind_ = 0;  // Consecutive passes above the plan's band.
  double planned_s_ = 0;      // Duration of the passes and changes so far in the plan.
  std::optional<std::string> remark_;
};

Controller::Controller(Plan plan, Metric metric)
    : impl_(std::make_unique<Impl>(std::move(plan), metric)) {}
Controller::~Controller() = default;
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;

void Controller::observe(const PassSeen& seen) { impl_->observe(seen); }
Step Controller::next(const Moment& now) const { return impl_->next(now); }
std::optional<std::string> Controller::take_remark() { return impl_->take_remark(); }
std::uint32_t Controller::block() const { return impl_->block(); }

bool is_behind(const Plan& plan, double seconds, double metric) {
  if (!plan.claims || plan.claims->bands.empty()) return false;
  return metric > band_at(plan.claims->bands, seconds).q95;
}

}  // namespace surety::plan
