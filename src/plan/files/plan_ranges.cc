#include "plan/files/plan_ranges.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace surety::plan {
namespace {

// A larger standard deviation of a logarithm means a factor of more than 20,000 within one standard
// deviation, and soon overflows.
constexpr double kLogSdMax = 10;

// Charts and tables calculate with the forecast of a plan; 1e308 would overflow in them.
constexpr double kNumberMax = 1e300;
// The range of a Duration: 292 years.
constexpr double kSecondsMax = 9.2e9;

// With a larger jitter, an evaluation says nothing about the model.
constexpr double kJitterMax = 10;

// Keeps the first error.
class Ranges {
 public:
  template <typename Found>
  void expect(bool holds, std::string_view key, const Found& found, std::string_view expected) {
    if (holds || !error_.empty()) return;
    error_ = fmt::format("{}{}: found {}, expected {}", prefix_, key, found, expected);
  }
  void not_negative(std::string_view key, double found) {
    expect(found >= 0, key, found, "at least 0");
  }
  void positive(std::string_view key, double found) { expect(found > 0, key, found, "above 0"); }
  void number(std::string_view key, double found) {
    expect(std::abs(found) <= kNumberMax, key, found, "a number from -1e300 to 1e300");
  }
  void amount(std::string_view key, double found) {  // Money, or a standard error.
    not_negative(key, found);
    number(key, found);
  }
  void seconds(std::string_view key, double found) {
    not_negative(key, found);
    expect(found <= kSecondsMax, key, found, "at most 9.2e9 seconds");
  }
  void share(std::string_view key, double found) {
    expect(found >= 0 && found <= 1, key, found, "a number from 0 to 1");
  }
  void spread(std::string_view key, double found) {
    expect(found >= 0 && found <= kLogSdMax, key, found, "a number from 0 to 10");
  }
  void index(std::string_view key, std::size_t found, std::size_t size) {
    expect(found < size, key, found, fmt::format("less than {}", size));
  }
  void within(std::string_view key, std::uint32_t found, std::uint32_t low, std::uint32_t high) {
    expect(found >= low && found <= high, key, found, fmt::format("{} to {}", low, high));
  }

  // From here on keys are below `prefix`.
  void enter(std::string prefix) { prefix_ = std::move(prefix); }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  std::string prefix_;
  std::string error_;
};

void check_law(Ranges& ranges, const VersionLaw& law) {
  ranges.positive("curve.scale", law.curve.scale);
  ranges.positive("curve.exponent", law.curve.exponent);
  ranges.number("curve.floor", law.curve.floor);
  ranges.amount("rate", law.rate);
  ranges.amount("noise", law.noise);
  ranges.not_negative("jitter", law.jitter);
  const double drop = law.curve.at(0) - law.curve.floor;
  ranges.expect(law.jitter <= kJitterMax * std::abs(drop), "jitter", law.jitter,
                fmt::format("at most {:g} times the drop of the curve", kJitterMax));
  ranges.amount("fit_error", law.fit_error);
  ranges.number("metric_min", law.metric_min);
  ranges.number("metric_supported", law.metric_supported);
  ranges.expect(law.stuck_seeds <= law.seeds, "stuck_seeds", law.stuck_seeds,
                fmt::format("at most {}, the seeds", law.seeds));
  ranges.share("stuck_share", law.stuck_share);
  ranges.positive("time.pass_s", law.time.pass_s);
  ranges.seconds("time.pass_s", law.time.pass_s);
  ranges.positive("time.nodes", law.time.nodes);
  ranges.seconds("time.eval_s", law.time.eval_s);
  ranges.spread("time.log_sd", law.time.log_sd);
}

// There is one row and one column for each rank.
void check_switches(Ranges& ranges, const std::string& path, const Laws& laws) {
  const std::size_t ranks = laws.switches.size();
  for (std::size_t i = 0; i < ranks; ++i) {
    ranges.enter(fmt::format("{}switches[{}]", path, i));
    ranges.expect(laws.switches[i].size() == ranks, "", laws.switches[i].size(),
                  fmt::format("{} entries", ranks));
    for (std::size_t j = 0; j < laws.switches[i].size(); ++j) {
      ranges.enter(fmt::format("{}switches[{}][{}].", path, i, j));
      ranges.spread("log_sd", laws.switches[i][j].log_sd);
      ranges.expect(std::abs(laws.switches[i][j].log_mean) <= kLogSdMax, "log_mean",
                    laws.switches[i][j].log_mean, "a number from -10 to 10");
      ranges.seconds("seconds", laws.switches[i][j].seconds);
    }
  }
}

void check_laws(Ranges& ranges, const std::string& path, const Laws& laws) {
  ranges.enter(path);
  ranges.expect(!laws.versions.empty(), "versions", "none", "at least one");
  ranges.expect(laws.data_fraction > 0 && laws.data_fraction <= 1, "data_fraction",
                laws.data_fraction, "a number above 0 and at most 1");
  ranges.spread("run_effect", laws.run_effect);
  ranges.amount("effect_variance", laws.effect_variance);
  ranges.amount("effect_error", laws.effect_error);
  for (std::size_t i = 0; i < laws.versions.size(); ++i) {
    ranges.enter(fmt::format("{}versions[{}].", path, i));
    ranges.index("rank", laws.versions[i].rank, laws.switches.size());
    check_law(ranges, laws.versions[i]);
  }
  check_switches(ranges, path, laws);
}

void check_variant(Ranges& ranges, const Variant& variant, std::size_t versions) {
  ranges.index("version", variant.version, versions);
  ranges.expect(variant.nodes > 0, "nodes", variant.nodes, "at least 1");
  ranges.positive("speed", variant.speed);
  ranges.amount("price_per_s", variant.price_per_s);
  ranges.amount("preemptions_per_s", variant.preemptions_per_s);
  ranges.seconds("restart_s", variant.restart_s);
  ranges.spread("straggle_sd", variant.straggle_sd);
  ranges.seconds("start_s", variant.start_s);
  ranges.seconds("from_s", variant.from_s);
  if (!variant.until_s) return;
  ranges.expect(*variant.until_s >= variant.from_s, "until_s", *variant.until_s, "from_s or later");
}

void check_setting(Ranges& ranges, const std::string& path, const Setting& setting) {
  check_laws(ranges, path + "laws.", setting.laws);
  for (std::size_t i = 0; i < setting.variants.size(); ++i) {
    ranges.enter(fmt::format("{}variants[{}].", path, i));
    check_variant(ranges, setting.variants[i], setting.laws.versions.size());
  }
  ranges.enter(path);
  ranges.number("target", setting.target);
  ranges.number("stop_metric", setting.stop_metric);
  ranges.amount("evaluation_se", setting.evaluation_se);
  ranges.expect(setting.probability > 0 && setting.probability < 1, "probability",
                setting.probability, "a number between 0 and 1");
  ranges.positive("deadline_s", setting.deadline_s);
  ranges.seconds("deadline_s", setting.deadline_s);
  ranges.seconds("certify_s", setting.certify_s);
  if (setting.budget) ranges.amount("budget", *setting.budget);
  ranges.amount("data_price", setting.data_price);
  ranges.within("passes_max", setting.passes_max, 1, kPassesMax);
}

void check_policy(Ranges& ranges, const std::string& path, const PolicySpec& policy,
                  std::size_t blocks) {
  ranges.enter(path);
  ranges.amount("lambda", policy.lambda);
  ranges.within("levels", policy.levels, kLevelsMin, kLevelsMax);
  ranges.within("ticks", policy.ticks, 1, kTicksMax);
  ranges.within("classes", policy.classes, 1, kClassesMax);
  const std::uint64_t states = std::uint64_t{policy.levels} * (policy.ticks + 1) * blocks;
  ranges.expect(states <= kStatesMax, "levels", policy.levels,
                fmt::format("at most {} states (levels x ticks x blocks)", kStatesMax));
  const double transitions =
      std::pow(static_cast<double>(policy.levels * blocks), 2) * policy.ticks * policy.classes;
  ranges.expect(transitions <= kTransitionsMax, "levels", policy.levels,
                fmt::format("at most {:.0e} transitions (levels^2 x ticks x blocks^2 x classes)",
                            kTransitionsMax));
}

void check_blocks(Ranges& ranges, const std::string& path, const Plan& plan) {
  ranges.enter(path);
  ranges.expect(!plan.blocks.empty(), "blocks", "none", "at least one");
  ranges.expect(plan.blocks.size() <= kBlocksMax, "blocks", plan.blocks.size(),
                fmt::format("at most {}", kBlocksMax));
  ranges.index("first_block", plan.first_block, plan.blocks.size());
  std::uint64_t passes = 0;
  for (const Block& block : plan.blocks) passes += block.passes;
  // The check simulates each pass of a fixed schedule with claims.
  ranges.expect(plan.policy || !plan.claims || passes <= kAllPassesMax, "blocks", passes,
                fmt::format("at most {} passes of all blocks together", kAllPassesMax));
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    ranges.enter(fmt::format("{}blocks[{}].", path, i));
    const Block& block = plan.blocks[i];
    // A closed-loop plan may need less than half a pass of a block on average.
    const std::uint32_t passes_min = plan.planner == Planner::kClosedLoop ? 0 : 1;
    ranges.expect(block.passes >= passes_min, "passes", block.passes, "at least 1");
    ranges.expect(block.nodes != 0u, "nodes", 0, "at least 1, or null for all that are present");
    const auto stated = [&](std::string_view key, const std::optional<double>& value) {
      ranges.expect(value || !plan.claims, key, "null", "a number: the claims depend on it");
    };
    stated("pass_s", block.pass_s);
    stated("switch_s", block.switch_s);
    stated("price_per_s", block.price_per_s);
    if (block.pass_s) ranges.seconds("pass_s", *block.pass_s);
    if (block.switch_s) ranges.seconds("switch_s", *block.switch_s);
    if (block.price_per_s) ranges.amount("price_per_s", *block.price_per_s);
  }
}

void check_bands(Ranges& ranges, const std::string& path, const std::vector<Band>& bands) {
  ranges.expect(bands.size() <= kBandsMax, "bands", bands.size(),
                fmt::format("at most {}", kBandsMax));
  double before_s = 0;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    ranges.enter(fmt::format("{}bands[{}].", path, i));
    ranges.expect(bands[i].seconds >= before_s, "seconds", bands[i].seconds,
                  fmt::format("at least {}", before_s));
    before_s = bands[i].seconds;
    ranges.seconds("seconds", bands[i].seconds);
    ranges.number("q05", bands[i].q05);
    ranges.number("q50", bands[i].q50);
    ranges.number("q95", bands[i].q95);
    ranges.expect(bands[i].q50 >= bands[i].q05, "q50", bands[i].q50,
                  fmt::format("at least q05, which is {}", bands[i].q05));
    ranges.expect(bands[i].q95 >= bands[i].q50, "q95", bands[i].q95,
                  fmt::format("at least q50, which is {}", bands[i].q50));
  }
}

void check_usage(Ranges& ranges, const std::string& path, const Claims& claims,
                 std::size_t blocks) {
  for (std::size_t i = 0; i < claims.usage.size(); ++i) {
    const Usage& usage = claims.usage[i];
    ranges.enter(fmt::format("{}usage[{}].", path, i));
    ranges.index("block", usage.block, blocks);
    ranges.not_negative("passes_mean", usage.passes_mean);
    ranges.number("passes_mean", usage.passes_mean);
    ranges.amount("cost_mean", usage.cost_mean);
    ranges.expect(usage.shares.size() == claims.bands.size(), "shares", usage.shares.size(),
                  fmt::format("{}, one for each band", claims.bands.size()));
    for (const double share : usage.shares) ranges.share("shares", share);
  }
}

void check_claims(Ranges& ranges, const std::string& path, const Claims& claims,
                  std::size_t blocks) {
  ranges.enter(path);
  ranges.share("probability", claims.probability);
  ranges.share("probability_lower", claims.probability_lower);
  ranges.amount("cost_mean", claims.cost_mean);
  ranges.amount("cost_95", claims.cost_95);
  ranges.seconds("seconds_mean", claims.seconds_mean);
  ranges.seconds("seconds_95", claims.seconds_95);
  ranges.share("support.percentile", claims.support.percentile);
  ranges.share("support.held_out", claims.support.held_out);
  ranges.share("support.held_out_limit", claims.support.held_out_limit);
  ranges.expect(claims.support.held_out_successes <= claims.support.held_out_runs,
                "support.held_out_successes", claims.support.held_out_successes,
                fmt::format("at most {}, the runs", claims.support.held_out_runs));
  check_bands(ranges, path, claims.bands);
  check_usage(ranges, path, claims, blocks);
  for (std::size_t i = 0; i < claims.prices.size(); ++i) {
    ranges.enter(fmt::format("{}prices[{}].", path, i));
    ranges.share("promised", claims.prices[i].promised);
    ranges.share("probability", claims.prices[i].probability);
    ranges.amount("cost_mean", claims.prices[i].cost_mean);
  }
  for (std::size_t i = 0; i < claims.runners_up.size(); ++i) {
    ranges.enter(fmt::format("{}runners_up[{}].", path, i));
    ranges.share("probability", claims.runners_up[i].probability);
    ranges.amount("cost_mean", claims.runners_up[i].cost_mean);
  }
  ranges.enter(path);
  ranges.expect(claims.setting.variants.size() == blocks, "setting.variants",
                claims.setting.variants.size(), fmt::format("{}, one for each block", blocks));
  check_setting(ranges, path + "setting.", claims.setting);
}

// A planner claims what follows from its laws; a plan by hand claims nothing.
void check_planner(Ranges& ranges, const std::string& path, const Plan& plan) {
  ranges.enter(path);
  const bool is_by_hand = plan.planner == Planner::kByHand;
  ranges.expect(plan.claims || is_by_hand, "claims", "null",
                fmt::format("an object: only a plan that was written by hand (the planner {}) "
                            "makes no claims",
                            name_in(kPlannerNames, Planner::kByHand)));
  ranges.expect(!plan.claims || !is_by_hand, "claims", "an object",
                "null: a plan by hand makes no claims");
  const bool is_closed = plan.planner == Planner::kClosedLoop;
  ranges.expect(plan.policy || !is_closed, "policy", "null",
                "an object: the plan is a closed-loop one");
  ranges.expect(!plan.policy || is_closed, "policy", "an object",
                "null: the plan is not a closed-loop one");
}

void check_plan(Ranges& ranges, const std::string& prefix, const Plan& plan) {
  check_planner(ranges, prefix, plan);
  check_blocks(ranges, prefix, plan);
  ranges.enter(prefix);
  ranges.number("stop_metric", plan.stop_metric);
  ranges.seconds("certify_s", plan.certify_s);
  if (plan.claims) check_claims(ranges, prefix + "claims.", *plan.claims, plan.blocks.size());
  if (plan.policy) check_policy(ranges, prefix + "policy.", *plan.policy, plan.blocks.size());
}

// A plan that is carried out has time to certify. The closest plan of a refusal may lack it.
void check_certify_time(Ranges& ranges, const std::string& prefix, const Plan& plan) {
  if (!plan.claims) return;
  const Setting& setting = plan.claims->setting;
  ranges.enter(prefix + "claims.setting.");
  ranges.expect(setting.certify_s <= setting.deadline_s, "certify_s", setting.certify_s,
                fmt::format("at most deadline_s, which is {}", setting.deadline_s));
}

// The nearest promises that can be kept.
void check_nearest(Ranges& ranges, const std::string& prefix, const Infeasible& infeasible) {
  ranges.enter(prefix);
  if (infeasible.target) ranges.number("target", *infeasible.target);
  if (infeasible.probability) ranges.share("probability", *infeasible.probability);
  if (infeasible.deadline_s) ranges.amount("deadline_s", *infeasible.deadline_s);
  if (infeasible.budget) ranges.amount("budget", *infeasible.budget);
}

std::string prefix_of(std::string_view path) { return path.empty() ? "" : std::string(path) + "."; }

Result<void> result_of(std::string_view file, const Ranges& ranges) {
  if (ranges.error().empty()) return {};
  return fail(ErrorCode::kInvalidInput, "{}: {}", file, ranges.error());
}

}  // namespace

Result<void> check_ranges(std::string_view file, std::string_view path, const Plan& plan) {
  const std::string prefix = prefix_of(path);
  Ranges ranges;
  check_plan(ranges, prefix, plan);
  check_certify_time(ranges, prefix, plan);
  return result_of(file, ranges);
}

Result<void> check_ranges(std::string_view file, std::string_view path,
                          const Infeasible& infeasible) {
  const std::string prefix = prefix_of(path);
  Ranges ranges;
  check_nearest(ranges, prefix, infeasible);
  if (infeasible.best_effort) {
    check_plan(ranges, prefix + "best_effort.", *infeasible.best_effort);
  }
  return result_of(file, ranges);
}

}  // namespace surety::plan
