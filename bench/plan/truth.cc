#include "truth.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "base/statistics.h"
#include "plan/decision/setting_mdp.h"
#include "plan/laws/time_model.h"

namespace surety::bench {
namespace {

using namespace plan;

enum Use : std::uint32_t {
  kNoise = 0,
  kTime = 1,
  kStall = 2,
  kJitter = 3,
  kSlowest = 4,
  kPreemptions = 5,
  kEffect = 6,
  kSlow = 7,
  kOwnEffect = 8,  // The number of the version is added.
};

// The constants of a run: the progress of its passes, by version.
std::vector<double> run_rates(const Truth& truth, const Laws& laws, const CounterNormal& numbers) {
  const double spread = truth.spec.run_effect;
  const double common = std::sqrt(truth.shared) * numbers.at(0, kEffect);
  const bool slow = numbers.uniform(0, kSlow) < truth.slow_share;
  std::vector<double> rates;
  for (std::size_t v = 0; v < laws.versions.size(); ++v) {
    const auto use = static_cast<std::uint32_t>(kOwnEffect + v);
    const double own = std::sqrt(1 - truth.shared) * numbers.at(0, use);
    const double rate = laws.versions[v].rate * std::exp(spread * (common + own));
    rates.push_back(slow ? truth.slow_rate * rate : rate);
  }
  return rates;
}

double progress_of_pass(const Truth& truth, const VersionLaw& law, double rate,
                        const CounterNormal& numbers, std::uint32_t pass) {
  if (numbers.uniform(pass, kStall) < truth.stall_share) return 0;
  return rate * (1 + law.noise * numbers.at(pass, kNoise));
}

double shown(const Truth& truth, const VersionLaw& law, double progress,
             const CounterNormal& numbers, std::uint32_t pass) {
  return law.curve.at(progress) + truth.jitter * numbers.at(pass, kJitter);
}

class Run {
 public:
  // `durations` has one entry for each variant.
  Run(const Truth& truth, const Setting& setting, const Policy& policy,
      const std::vector<PassDuration>& durations, const CounterNormal& numbers)
      : truth_(truth),
        setting_(setting),
        policy_(policy),
        durations_(durations),
        numbers_(numbers),
        rates_(run_rates(truth, setting.laws, numbers)),
        variant_(policy.first_variant()) {
    metric_ = law().curve.at(0);
    if (policy.belief_setting() != nullptr) belief_.emplace(*policy.belief_setting(), variant_);
  }

  void go() {
    while (true) {
      const Move move = policy_.next(here());
      if (move.stops()) return;
      if (move.variant != variant_) switch_to(move.variant);
      if (move.leg != leg_) leg_ = move.leg, passes_in_leg_ = 0;
      run_pass();
      if (belief_) belief_->on_pass(variant_, metric_);
    }
  }

  [[nodiscard]] bool succeeded() const { return metric_ <= setting_.target; }
  [[nodiscard]] double cost() const { return cost_; }

 private:
  [[nodiscard]] const VersionLaw& law() const { return setting_.law_of(variant_); }

  [[nodiscard]] DecisionState here() const {
    DecisionState state;
    state.seconds = seconds_;
    state.seconds_left = setting_.deadline_s - seconds_;
    state.metric = metric_;
    state.variant = variant_;
    state.leg = leg_;
    state.passes_in_leg = passes_in_leg_;
    state.belief = belief_ ? &*belief_ : nullptr;
    return state;
  }

  void spend(double seconds) {
    seconds_ += seconds;
    cost_ += seconds * setting_.variants[variant_].price_per_s;
  }

  void run_pass() {
    pass_ += 1;
    passes_in_leg_ += 1;
    const double seconds = draw_s(
        durations_[variant_], {numbers_.uniform(pass_, kTime), numbers_.uniform(pass_, kSlowest),
                               numbers_.uniform(pass_, kPreemptions)});
    const double left = std::max(setting_.deadline_s - seconds_, 0.0);
    spend(std::min(seconds, left));
    if (seconds > left) return;
    const double rate = rates_[setting_.variants[variant_].version];
    progress_ += progress_of_pass(truth_, law(), rate, numbers_, pass_);
    metric_ = shown(truth_, law(), progress_, numbers_, pass_);
  }

  void switch_to(std::size_t variant) {
    const std::size_t from = setting_.rank_of(variant_);
    const double metric = law().curve.at(progress_);
    spend(switch_seconds(setting_, variant_, variant));
    variant_ = variant;
    if (from == setting_.rank_of(variant)) return;
    const SwitchLaw& jump = setting_.laws.switches[from][setting_.rank_of(variant)];
    const double after = std::max(metric, law().curve.lowest()) * std::exp(jump.log_mean);
    progress_ = law().curve.progress(std::max(after, law().curve.lowest()));
    metric_ = law().curve.at(progress_);
  }

  const Truth& truth_;
  const Setting& setting_;
  const Policy& policy_;
  const std::vector<PassDuration>& durations_;
  const CounterNormal numbers_;
  std::vector<double> rates_;  // One rate for each version.
  std::optional<RunBelief> belief_;
  std::size_t variant_;
  std::size_t leg_ = 0;
  std::uint32_t pass_ = 0;
  std::uint32_t passes_in_leg_ = 0;
  double seconds_ = 0;
  double cost_ = 0;
  double progress_ = 0;
  double metric_ = 0;
};

}  // namespace

Truth planners_truth(std::uint32_t seeds, std::size_t versions) {
  Truth truth;
  truth.spec = synthetic::three_versions();
  SURETY_CHECK(versions >= 1 && versions <= truth.spec.versions.size());
  truth.spec.versions.resize(versions);
  const double noise[] = {0.35, 0.5, 0.65};
  for (std::size_t v = 0; v < truth.spec.versions.size(); ++v) {
    truth.spec.versions[v].noise = noise[v];
  }
  truth.spec.seeds = seeds;
  truth.spec.workers = 1;
  truth.spec.run_effect = 0.12;
  truth.spec.time_sd = 0.05;
  truth.spec.switch_s = 1;
  return truth;
}

Truth other_truth(std::uint32_t seeds, std::size_t versions) {
  Truth truth = planners_truth(seeds, versions);
  truth.slow_share = 0.08;
  truth.slow_rate = 0.7;
  truth.shared = 0.8;
  truth.jitter = 0.004;
  truth.stall_share = 0.03;
  return truth;
}

Profile draw_profile(const Truth& truth, std::uint64_t seed) {
  Profile profile = synthetic::draw_profile(truth.spec, seed);
  const Laws laws = synthetic::true_laws(truth.spec);
  std::vector<CounterNormal> lucks;
  std::vector<std::vector<double>> rates;
  for (std::uint32_t i = 0; i < truth.spec.seeds; ++i) {
    lucks.emplace_back(mix64(seed), i);
    rates.push_back(run_rates(truth, laws, lucks.back()));
  }
  // Compute the metrics again, row by row; the passes of each run are ascending.
  double progress = 0;
  for (CurvePoint& point : profile.curves) {
    const auto it = std::ranges::find(laws.versions, point.version, &VersionLaw::version);
    const auto v = static_cast<std::size_t>(it - laws.versions.begin());
    const auto own = static_cast<std::uint32_t>(1000 * (v + 1)) + point.pass;
    if (point.pass == 0) progress = 0;
    if (point.pass > 0) {
      progress += progress_of_pass(truth, *it, rates[point.seed][v], lucks[point.seed], own);
    }
    point.metric =
        point.pass == 0 ? it->curve.at(0) : shown(truth, *it, progress, lucks[point.seed], own);
  }
  return profile;
}

Instance instance_of(const Truth& truth, double deadline_s, double probability) {
  Instance instance = synthetic::make_instance(truth.spec, 0.54, deadline_s);
  instance.promise.probability = probability;
  instance.promise.confidence = 0.9;
  NodeType on_demand{.name = "on-demand", .count = 1, .price_per_s = 1};
  NodeType spot{.name = "spot", .count = 1, .price_per_s = 0.35, .speed_factor = 0.8};
  spot.preemptions_per_s = 0.012;
  spot.restart_s = 10;
  spot.straggle_sd = 0.15;
  instance.nodes = {on_demand, spot};
  return instance;
}

Setting true_setting(const Truth& truth, Setting setting) {
  const Laws laws = synthetic::true_laws(truth.spec);
  SURETY_CHECK(setting.laws.versions.size() == laws.versions.size());
  for (std::size_t v = 0; v < laws.versions.size(); ++v) {
    SURETY_CHECK(setting.laws.versions[v].version == laws.versions[v].version);
  }
  setting.laws = laws;
  return setting;
}

Realised realise_in(const Truth& truth, const Setting& setting, const Policy& policy,
                    std::uint64_t seed, std::uint32_t runs) {
  std::vector<PassDuration> durations;
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    durations.push_back(pass_duration(setting.law_of(v), setting.variants[v]));
  }
  Realised realised;
  for (std::uint32_t i = 0; i < runs; ++i) {
    Run run(truth, setting, policy, durations, CounterNormal(seed, i));
    run.go();
    realised.probability += run.succeeded() ? 1.0 / runs : 0.0;
    realised.cost += run.cost() / runs;
  }
  return realised;
}

}  // namespace surety::bench
