#include "plan/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "plan/statistics.h"

namespace surety::plan {
namespace {

// Draws of one pass are told apart by their use; the run's own draws are those of pass 0.
enum Use : std::uint32_t {
  kProgress = 0,
  kTime = 1,
  kJump = 2,
  kRunEffect = 3,
  kCertify = 4,
  kStuck = 5,
};

// What does not change from run to run, by leg.
struct LegFacts {
  double median_s = 0;
  double price_per_s = 0;
  // Before it the metric is above the stop metric for sure: a power less for most passes.
  double progress_near = 0;
};

std::vector<LegFacts> leg_facts(const Setting& setting, const Schedule& schedule) {
  static constexpr double kRounding = 1e-9;
  std::vector<LegFacts> facts;
  for (const Leg& leg : schedule) {
    const Variant& variant = setting.variants[leg.variant];
    const VersionLaw& law = setting.laws.versions[variant.version];
    double near = law.curve.progress(setting.stop_metric);
    if (law.metric_supported > setting.stop_metric) near = std::numeric_limits<double>::infinity();
    if (std::isfinite(near)) near -= kRounding * (1 + std::abs(near));
    facts.push_back({law.time.median_s(variant.speed), variant.price_per_s, near});
  }
  return facts;
}

// One simulated run.
class Run {
 public:
  Run(const Setting& setting, const Schedule& schedule, const std::vector<BlockTime>& times,
      const std::vector<LegFacts>& facts, CounterNormal normal)
      : setting_(setting), schedule_(schedule), times_(times), facts_(facts), normal_(normal) {
    effect_ = std::exp(setting.laws.run_effect * normal_.at(0, kRunEffect));
    luck_ = normal_.uniform(0, kStuck);
    cost_ = setting.data_price;
    metric_ = law().curve.at(0);
  }

  // Calls visit(seconds, metric) at the start and after each pass, with a metric of infinity where
  // `visit` does without and it is above the stop metric for sure.
  template <bool kWatched, typename Visit>
  void go(Visit&& visit) {
    visit(seconds_, metric_);
    while (true) {
      const Choice choice = choose(times_, {.metric = metric_,
                                            .stop_metric = setting_.stop_metric,
                                            .seconds_left = setting_.deadline_s - seconds_,
                                            .certify_s = setting_.certify_s,
                                            .block = leg_,
                                            .pass_in_block = pass_in_leg_});
      if (choice == Choice::kStopMet) return certify();
      if (choice == Choice::kStopNoTime) return;
      if (choice == Choice::kSwitch) switch_leg();
      if (pass_in_leg_ >= setting_.passes_max) return;
      run_pass();
      if (!is_stuck()) {
        metric_ = kWatched || progress_ >= facts_[leg_].progress_near
                      ? metric_here()
                      : std::numeric_limits<double>::infinity();
      }
      visit(seconds_, metric_);
    }
  }

  [[nodiscard]] bool succeeded() const { return succeeded_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] std::size_t leg() const { return leg_; }
  [[nodiscard]] std::uint32_t pass_in_leg() const { return pass_in_leg_; }

 private:
  [[nodiscard]] const Variant& variant() const {
    return setting_.variants[schedule_[leg_].variant];
  }
  [[nodiscard]] const VersionLaw& law() const { return setting_.laws.versions[variant().version]; }

  [[nodiscard]] bool is_stuck() const { return luck_ < law().stuck_share; }
  [[nodiscard]] double metric_here() const {
    return std::max(law().curve.at(progress_), law().metric_supported);
  }

  void spend(double seconds) {
    seconds_ += seconds;
    cost_ += seconds * facts_[leg_].price_per_s;
  }

  void run_pass() {
    pass_ += 1;
    pass_in_leg_ += 1;
    const VersionLaw& version = law();
    const double spread = version.time.log_sd;
    spend(facts_[leg_].median_s * (spread > 0 ? std::exp(spread * normal_.at(pass_, kTime)) : 1.0));
    if (is_stuck()) return;
    const double noise = version.noise > 0 ? version.noise * normal_.at(pass_, kProgress) : 0;
    progress_ += version.rate * effect_ * (1 + noise);
  }

  void switch_leg() {
    if (!is_stuck()) metric_ = metric_here();
    const std::size_t from = variant().version;
    leg_ += 1;
    pass_in_leg_ = 0;
    if (from == variant().version) return;
    const std::size_t rank = setting_.laws.versions[from].rank;
    const Curve& curve = law().curve;
    const double lowest = curve.floor + kFloorMargin * curve.scale;
    if (rank != law().rank) {
      const SwitchLaw& jump = setting_.laws.switches[rank][law().rank];
      spend(jump.seconds);
      metric_ = std::max(metric_, lowest) *
                std::exp(jump.log_mean + jump.log_sd * normal_.at(pass_, kJump));
    }
    metric_ = std::max(metric_, lowest);
    progress_ = curve.progress(metric_);
  }

  void certify() {
    spend(setting_.certify_s);
    const double certified =
        metric_ + std::numbers::sqrt2 * setting_.evaluation_se * normal_.at(0, kCertify);
    succeeded_ = seconds_ <= setting_.deadline_s && certified <= setting_.target;
  }

  const Setting& setting_;
  const Schedule& schedule_;
  const std::vector<BlockTime>& times_;
  const std::vector<LegFacts>& facts_;
  CounterNormal normal_;
  double effect_ = 1, luck_ = 1;
  double seconds_ = 0, cost_ = 0, progress_ = 0, metric_ = 0;
  std::size_t leg_ = 0;
  std::uint32_t pass_ = 0, pass_in_leg_ = 0;
  bool succeeded_ = false;
};

// The metric of each run at fixed points in time.
class BandRecorder {
 public:
  BandRecorder(double seconds, std::uint32_t steps)
      : step_s_(steps > 0 ? seconds / steps : 0), metrics_(steps > 0 ? steps + 1 : 0) {}

  void begin_run() { next_ = 0; }
  void add(double seconds, double metric) {
    fill_until(seconds);
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

 private:
  void fill_until(double seconds) {
    while (next_ < metrics_.size() && step_s_ * static_cast<double>(next_) < seconds) {
      metrics_[next_++].push_back(last_);
    }
  }

  double step_s_;
  std::vector<std::vector<double>> metrics_;  // Filled by fill_until() and end_run(), run by run.
  std::size_t next_ = 0;
  double last_ = 0;
};

}  // namespace

std::vector<BlockTime> block_times(const Setting& setting, const Schedule& schedule) {
  std::vector<BlockTime> times;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const Variant& variant = setting.variants[schedule[i].variant];
    BlockTime time;
    time.passes = schedule[i].passes;
    time.pass_s = setting.laws.versions[variant.version].time.mean_s(variant.speed);
    if (i > 0) {
      const std::size_t from = setting.rank_of(schedule[i - 1].variant);
      const std::size_t to = setting.rank_of(schedule[i].variant);
      if (from != to) time.switch_s = setting.laws.switches[from][to].seconds;
    }
    times.push_back(time);
  }
  return times;
}

Outcome simulate(const Setting& setting, const Schedule& schedule, const SimulateOptions& options) {
  SURETY_CHECK(!schedule.empty() && options.runs > 0);
  const std::vector<BlockTime> times = block_times(setting, schedule);
  const std::vector<LegFacts> facts = leg_facts(setting, schedule);
  BandRecorder recorder(options.bands_s, options.bands);
  Outcome outcome;
  std::vector<double> costs, seconds, last_passes{0};
  for (std::uint32_t i = 0; i < options.runs; ++i) {
    Run run(setting, schedule, times, facts, CounterNormal(options.seed, i));
    recorder.begin_run();
    if (options.bands > 0) {
      run.go<true>([&](double at, double metric) { recorder.add(at, metric); });
    } else {
      run.go<false>([](double, double) {});
    }
    recorder.end_run();
    costs.push_back(run.cost());
    seconds.push_back(run.seconds());
    if (run.leg() + 1 == schedule.size()) last_passes.push_back(run.pass_in_leg());
    if (run.succeeded()) outcome.success_s.push_back(run.seconds());
  }
  std::sort(outcome.success_s.begin(), outcome.success_s.end());
  outcome.probability = static_cast<double>(outcome.success_s.size()) / options.runs;
  outcome.cost_mean = mean(costs);
  outcome.cost_95 = quantile(costs, 0.95);
  outcome.seconds_mean = mean(seconds);
  outcome.seconds_95 = quantile(seconds, 0.95);
  outcome.last_passes_95 =
      static_cast<std::uint32_t>(std::ceil(quantile(std::move(last_passes), 0.95)));
  outcome.bands = recorder.bands();
  return outcome;
}

std::string describe(const Setting& setting, const Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const Variant& variant = setting.variants[schedule[i].variant];
    if (i > 0) text += " then ";
    text += setting.laws.versions[variant.version].version;
    if (i + 1 < schedule.size()) text += fmt::format(" x{}", schedule[i].passes);
    const bool nodes_change = i + 1 == schedule.size() ||
                              setting.variants[schedule[i + 1].variant].nodes != variant.nodes;
    if (nodes_change) {
      text += fmt::format(" on {} {}", variant.nodes, variant.nodes == 1 ? "node" : "nodes");
    }
  }
  return text;
}

}  // namespace surety::plan
