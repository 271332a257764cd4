#include "plan/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "plan/statistics.h"

namespace surety::plan {
namespace {

// Draws of one pass are told apart by their use; the run's own draws are those of pass 0.
enum Use : std::uint32_t { kProgress = 0, kTime = 1, kJump = 2, kRunEffect = 3, kCertify = 4 };

// One simulated run.
class Run {
 public:
  Run(const Setting& setting, const Schedule& schedule, const std::vector<BlockTime>& times,
      CounterNormal normal)
      : setting_(setting), schedule_(schedule), times_(times), normal_(normal) {
    effect_ = std::exp(setting.laws.run_effect * normal_.at(0, kRunEffect));
    cost_ = setting.data_price;
    metric_ = law().curve.at(0);
  }

  // Calls visit(seconds, metric) at the start and after each pass.
  template <typename Visit>
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

  void spend(double seconds) {
    seconds_ += seconds;
    cost_ += seconds * variant().price_per_s;
  }

  void run_pass() {
    pass_ += 1;
    pass_in_leg_ += 1;
    const VersionLaw& version = law();
    spend(version.time.median_s(variant().speed) *
          std::exp(version.time.log_sd * normal_.at(pass_, kTime)));
    progress_ += version.rate * effect_ * (1 + version.noise * normal_.at(pass_, kProgress));
    metric_ = version.curve.at(progress_);
  }

  void switch_leg() {
    const std::size_t from = variant().version;
    leg_ += 1;
    pass_in_leg_ = 0;
    if (from == variant().version) return;
    const SwitchLaw& jump = setting_.laws.switches[from][variant().version];
    spend(jump.seconds);
    const Curve& curve = law().curve;
    const double base = std::max(metric_, curve.floor + kFloorMargin * curve.scale);
    metric_ = base * std::exp(jump.log_mean + jump.log_sd * normal_.at(pass_, kJump));
    metric_ = std::max(metric_, curve.floor + kFloorMargin * curve.scale);
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
  CounterNormal normal_;
  double effect_ = 1;
  double seconds_ = 0, cost_ = 0, progress_ = 0, metric_ = 0;
  std::size_t leg_ = 0;
  std::uint32_t pass_ = 0, pass_in_leg_ = 0;
  bool succeeded_ = false;
};

// The metric of each run at fixed points in time.
class BandRecorder {
 public:
  BandRecorder(double deadline_s, std::uint32_t points)
      : step_s_(points > 0 ? deadline_s / points : 0), metrics_(points > 0 ? points + 1 : 0) {}

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
      const std::size_t from = setting.variants[schedule[i - 1].variant].version;
      if (from != variant.version) {
        time.switch_s = setting.laws.switches[from][variant.version].seconds;
      }
    }
    times.push_back(time);
  }
  return times;
}

Outcome simulate(const Setting& setting, const Schedule& schedule, const SimulateOptions& options) {
  SURETY_CHECK(!schedule.empty() && options.runs > 0);
  const std::vector<BlockTime> times = block_times(setting, schedule);
  BandRecorder recorder(setting.deadline_s, options.bands);
  Outcome outcome;
  std::vector<double> costs, seconds, last_passes{0};
  for (std::uint32_t i = 0; i < options.runs; ++i) {
    Run run(setting, schedule, times, CounterNormal(options.seed, i));
    recorder.begin_run();
    if (options.bands > 0) {
      run.go([&](double at, double metric) { recorder.add(at, metric); });
    } else {
      run.go([](double, double) {});
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
