#include "plan/decision/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/decision/draw_purpose.h"
#include "plan/decision/run_course.h"
#include "plan/decision/setting_mdp.h"
#include "plan/decision/spending.h"
#include "plan/laws/time_model.h"
#include "plan/plan_text.h"

namespace surety::plan {
namespace {

// Values of a variant that are the same in all runs.
struct VariantFacts {
  PassDuration duration;
  // At less progress the metric is above all values that the policy distinguishes. This saves a
  // power in most passes.
  double progress_near = 0;
};

std::vector<VariantFacts> variant_facts(const Setting& world, double indifferent_above) {
  static constexpr double kRounding = 1e-9;
  std::vector<VariantFacts> facts;
  for (const Variant& variant : world.variants) {
    const VersionLaw& law = world.laws.versions[variant.version];
    double near = -std::numeric_limits<double>::infinity();
    // With jitter an evaluation may be low at any progress.
    if (std::isfinite(indifferent_above) && !(law.jitter > 0)) {
      near = law.curve.progress(indifferent_above);
      if (law.metric_supported > indifferent_above) near = std::numeric_limits<double>::infinity();
      if (std::isfinite(near)) near -= kRounding * (1 + std::abs(near));
    }
    facts.push_back({pass_duration(law, variant), near});
  }
  return facts;
}

// The lowest metric of the checkpoints of a run. Most of them need not be measured.
class BestCheckpoint {
 public:
  void add(double metric) { measured_ = std::min(measured_, metric); }
  // A checkpoint of the law on which the run learns, whose metric was not measured.
  void add_unmeasured(double progress) { progress_ = std::max(progress_, progress); }
  // `law` is that on which the run learns.
  [[nodiscard]] double metric(const VersionLaw& law) const {
    if (progress_ == kNone) return measured_;
    return std::min(measured_, std::max(law.curve.at(progress_), law.metric_supported));
  }
  // The run leaves this law.
  void leave(const VersionLaw& law) {
    measured_ = metric(law);
    progress_ = kNone;
  }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  double measured_ = std::numeric_limits<double>::infinity();
  double progress_ = kNone;  // Most progress of the checkpoints that were not measured.
};

// One simulated run.
class Run {
 public:
  Run(const Setting& world, const Policy& policy, const std::vector<VariantFacts>& facts,
      const SimulateOptions& options, std::uint32_t index)
      : world_(world),
        policy_(policy),
        facts_(facts),
        options_(options),
        normal_(options.seed, index),
        spending_(world),
        variant_(policy.first_variant()),
        course_(effect(), normal_.uniform(0, kStuck), law()) {
    if (options.from) begin_midway(*options.from);
    shown_ = course_.metric();
    best_.add(shown_);
    if (policy.belief_setting() != nullptr) {
      options.from ? belief_.emplace(*policy.belief_setting(), variant_, shown_)
                   : belief_.emplace(*policy.belief_setting(), variant_);
    }
  }

  // Calls visit(seconds, shown metric, variant) at the start and after each pass. Without
  // `kWatched` the metric is infinite if it is above all values that the policy distinguishes.
  template <bool kWatched, typename Visit>
  void go(Visit&& visit) {
    visit(spending_.seconds(), shown_, variant_);
    while (true) {
      const DecisionState state = here();
      const Move move = policy_.next(state);
      if (options_.watch) options_.watch(state, move);
      if (move.stops() || pass_ >= passes_max()) {
        return certify(move.choice == Choice::kStopMet ? shown_ : best_.metric(law()));
      }
      // The first pass is one of the first variant, as in training.
      const bool may_switch = pass_ > 0 || options_.from;
      if (may_switch && move.variant != variant_) switch_to(move.variant);
      if (move.leg != leg_) leg_ = move.leg, pass_in_leg_ = 0;
      run_pass();
      if (!is_stuck()) {
        const bool matters = kWatched || course_.progress() >= facts_[variant_].progress_near;
        if (matters) {
          course_.measure(law());
        } else {
          course_.leave_unmeasured();
          best_.add_unmeasured(course_.progress());
        }
      }
      shown_ = course_.metric();
      if (law().jitter > 0) shown_ += law().jitter * normal_.at(pass_, kJitter);
      best_.add(shown_);
      if (belief_) belief_->on_pass(variant_, shown_);
      visit(spending_.seconds(), shown_, variant_);
    }
  }

  [[nodiscard]] bool succeeded() const { return succeeded_; }
  [[nodiscard]] const Spending& spending() const { return spending_; }
  [[nodiscard]] std::size_t leg() const { return leg_; }
  [[nodiscard]] std::uint32_t pass_in_leg() const { return pass_in_leg_; }

 private:
  void begin_midway(const MidRunState& from) {
    variant_ = from.variant;
    pass_ = from.passes;
    spending_.resume(from.seconds, from.cost);
    course_.resume(from.metric, law());
  }

  // After so many passes in all, the run stops.
  [[nodiscard]] std::uint32_t passes_max() const {
    const std::uint32_t before = options_.from ? options_.from->passes : 0;
    return std::min(world_.passes_max, before + kSimulatedPassesMax);
  }

  // The factor on the progress of all passes of this run.
  [[nodiscard]] double effect() const {
    const double sd = world_.laws.run_effect;
    return sd > 0 ? std::exp(sd * normal_.at(0, kRunEffect)) : 1;
  }
  [[nodiscard]] const VersionLaw& law() const { return world_.law_of(variant_); }
  [[nodiscard]] bool is_stuck() const { return course_.is_stuck(law()); }

  [[nodiscard]] DecisionState here() const {
    DecisionState state;
    state.seconds = spending_.seconds();
    state.seconds_left = spending_.seconds_left();
    state.money_left = spending_.money_left();
    state.metric = shown_;
    state.variant = variant_;
    state.leg = leg_;
    state.passes_in_leg = pass_in_leg_;
    state.belief = belief_ ? &*belief_ : nullptr;
    return state;
  }

  void run_pass() {
    pass_ += 1;
    pass_in_leg_ += 1;
    const PassDuration& duration = facts_[variant_].duration;
    DurationQuantiles quantiles;
    if (duration.log_sd > 0) quantiles.pass = normal_.uniform(pass_, kTime);
    if (duration.straggle_sd > 0) quantiles.slowest = normal_.uniform(pass_, kSlowest);
    if (duration.preemptions_per_s > 0)
      quantiles.preemptions = normal_.uniform(pass_, kPreemptions);
    // The deadline may end the job during the pass.
    if (!spending_.spend_pass(draw_s(duration, quantiles), variant_) || is_stuck()) return;
    if (options_.replay != nullptr) {
      const auto& steps = options_.replay->steps[world_.variants[variant_].version];
      return course_.advance(steps[(pass_ - 1) % steps.size()]);
    }
    const double noise = law().noise > 0 ? law().noise * normal_.at(pass_, kProgress) : 0;
    course_.advance(law().rate * course_.effect() * (1 + noise));
  }

  void switch_to(std::size_t variant) {
    if (!is_stuck()) course_.measure(law());
    best_.leave(law());
    const std::size_t from = world_.variants[variant_].version;
    const double seconds = switch_seconds(world_, variant_, variant);
    variant_ = variant;
    spending_.spend(seconds, variant_);
    if (from == world_.variants[variant].version) return;
    const std::size_t rank = world_.laws.versions[from].rank;
    double jump = 1;
    if (rank != law().rank) {
      const SwitchLaw& change = world_.laws.switches[rank][law().rank];
      jump = std::exp(change.log_mean + change.log_sd * normal_.at(pass_, kJump));
    }
    course_.change_to(law(), jump);
  }

  // After any kind of stop a checkpoint is measured on another split. `certified` is its metric on
  // the first split.
  void certify(double certified) {
    spending_.spend(world_.certify_s, variant_);
    if (world_.evaluation_se > 0) {
      certified += std::numbers::sqrt2 * world_.evaluation_se * normal_.at(0, kCertify);
    }
    succeeded_ = spending_.seconds() <= world_.deadline_s && certified <= world_.target;
  }

  const Setting& world_;
  const Policy& policy_;
  const std::vector<VariantFacts>& facts_;
  const SimulateOptions& options_;
  CounterNormal normal_;
  std::optional<RunBelief> belief_;
  Spending spending_;
  std::size_t variant_;
  RunCourse course_;
  double shown_ = 0;  // Metric of the last checkpoint, with jitter.
  BestCheckpoint best_;
  std::size_t leg_ = 0;
  std::uint32_t pass_ = 0;
  std::uint32_t pass_in_leg_ = 0;
  bool succeeded_ = false;
};

// Records the metric of each run at fixed points in time.
class BandRecorder {
 public:
  BandRecorder(const std::optional<BandSteps>& steps, std::size_t variants)
      : step_s_(steps ? steps->seconds / steps->count : 0),
        metrics_(steps ? steps->count + 1 : 0),
        running_(variants, std::vector<double>(metrics_.size())) {}

  void begin_run() { next_ = 0; }
  // Adds the metric that was measured at the end of a pass of `variant`.
  void add(double seconds, double metric, std::size_t variant) {
    fill_until(seconds, variant);
    last_ = metric;
  }
  void end_run() {
    while (next_ < metrics_.size()) metrics_[next_++].push_back(last_);
  }
  [[nodiscard]] std::vector<Band> bands() const {
    std::vector<Band> result;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      result.push_back({step_s_ * static_cast<double>(i), quantile(metrics_[i], 0.05),
                        quantile(metrics_[i], 0.5), quantile(metrics_[i], 0.95)});
    }
    return result;
  }
  // Share of the runs that trained on a variant, at each point in time.
  [[nodiscard]] std::vector<double> shares(std::size_t variant, std::uint32_t runs) const {
    std::vector<double> result = running_[variant];
    for (double& share : result) share /= runs;
    return result;
  }

 private:
  void fill_until(double seconds, std::size_t variant) {
    while (next_ < metrics_.size() && step_s_ * static_cast<double>(next_) < seconds) {
      running_[variant][next_] += 1;
      metrics_[next_++].push_back(last_);
    }
  }

  double step_s_;
  std::vector<std::vector<double>> metrics_;  // Filled by fill_until() and end_run(), run by run.
  // Number of runs by variant and point; counted by fill_until().
  std::vector<std::vector<double>> running_;
  std::size_t next_ = 0;
  double last_ = 0;
};

// Sums over runs.
class Tally {
 public:
  Tally(std::size_t variants, std::uint32_t runs) : usage_(variants), runs_(runs) {}

  void add(const Run& run) {
    const Spending& spending = run.spending();
    costs_.push_back(spending.cost());
    seconds_.push_back(spending.seconds());
    legs_.emplace_back(run.leg(), run.pass_in_leg());
    if (run.succeeded()) success_s_.push_back(spending.seconds());
    for (std::size_t v = 0; v < usage_.size(); ++v) {
      usage_[v].passes_mean += static_cast<double>(spending.by_variant()[v].passes) / runs_;
      usage_[v].cost_mean += spending.by_variant()[v].cost / runs_;
    }
  }

  [[nodiscard]] Outcome finish(const BandRecorder& recorder) {
    Outcome outcome;
    outcome.probability = static_cast<double>(success_s_.size()) / runs_;
    outcome.cost_mean = mean(costs_);
    outcome.cost_95 = quantile(costs_, 0.95);
    outcome.seconds_mean = mean(seconds_);
    outcome.seconds_95 = quantile(seconds_, 0.95);
    outcome.last_passes_95 = last_passes_95();
    outcome.bands = recorder.bands();
    for (std::size_t v = 0; v < usage_.size(); ++v) {
      usage_[v].block = static_cast<std::uint32_t>(v);
      usage_[v].shares = recorder.shares(v, runs_);
    }
    outcome.usage = std::move(usage_);
    return outcome;
  }

 private:
  [[nodiscard]] std::uint32_t last_passes_95() const {
    const std::size_t last = std::ranges::max_element(legs_)->first;
    std::vector<double> passes;
    for (const auto& [leg, count] : legs_) {
      if (leg == last) passes.push_back(count);
    }
    return static_cast<std::uint32_t>(std::ceil(quantile(std::move(passes), 0.95)));
  }

  std::vector<double> costs_;
  std::vector<double> seconds_;
  std::vector<double> success_s_;
  // Last leg of each run, and its passes there.
  std::vector<std::pair<std::size_t, std::uint32_t>> legs_;
  std::vector<Usage> usage_;
  std::uint32_t runs_;
};

}  // namespace

Outcome simulate(const Setting& world, const Policy& policy, const SimulateOptions& options) {
  SURETY_CHECK(options.runs > 0 && policy.first_variant() < world.variants.size());
  SURETY_CHECK(!options.bands || options.bands->count > 0);
  const std::vector<VariantFacts> facts = variant_facts(world, policy.indifferent_above());
  BandRecorder recorder(options.bands, world.variants.size());
  Tally tally(world.variants.size(), options.runs);
  for (std::uint32_t i = 0; i < options.runs; ++i) {
    Run run(world, policy, facts, options, options.first_run + i);
    recorder.begin_run();
    if (options.bands || options.watch) {
      run.go<true>([&](double at, double metric, std::size_t variant) {
        recorder.add(at, metric, variant);
      });
    } else {
      run.go<false>([](double, double, std::size_t) {});
    }
    recorder.end_run();
    tally.add(run);
  }
  return tally.finish(recorder);
}

Outcome simulate(const Setting& setting, const Schedule& schedule, const SimulateOptions& options) {
  return simulate(setting, FixedSchedule(setting, schedule), options);
}

std::string describe(const Setting& setting, const Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const Variant& variant = setting.variants[schedule[i].variant];
    if (i > 0) text += " then ";
    text += setting.laws.versions[variant.version].version;
    if (i + 1 < schedule.size()) text += fmt::format(" x{}", schedule[i].passes);
    const bool nodes_change = i + 1 == schedule.size() ||
                              setting.variants[schedule[i + 1].variant].counts != variant.counts;
    if (nodes_change) text += " on " + nodes_text(variant.nodes, variant.counts);
  }
  return text;
}

}  // namespace surety::plan
