#include "plan/check/own_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/random.h"
#include "plan/check/own_laws.h"

namespace surety::plan::check {
namespace {

constexpr int kClasses = 5;
// The outermost classes are this many standard deviations of the run effect away from its mean, 0.
constexpr double kClassReach = 2;
constexpr std::size_t kPoints = 24;     // Points of a normal distribution, to integrate over it.
constexpr std::uint32_t kDraws = 4000;  // Draws of a duration.
constexpr std::uint64_t kDurationSeed = 99;

}  // namespace

OwnSolver::OwnSolver(const plan::Setting& setting, Goal goal, Grid grid)
    : setting_(setting), goal_(goal), grid_(grid) {
  SURETY_CHECK(grid.levels >= 10 && grid.ticks >= 10);
  tick_s_ = std::max(setting.deadline_s - setting.certify_s, 1e-9) / grid.ticks;
  fill_levels();
  fill_durations();
  for (std::size_t from = 0; from < setting.variants.size(); ++from) {
    auto& row = jumps_.emplace_back(setting.variants.size());
    for (std::size_t to = 0; to < setting.variants.size(); ++to) {
      if (may_switch(setting, from, to)) row[to] = jump_matrix(from, to);
    }
  }
  const double sd = setting.laws.run_effect;
  for (int j = 0; j < (sd > 0 ? kClasses : 1); ++j) {
    classes_.push_back(solve(sd > 0 ? sd * kClassReach * (2.0 * j / (kClasses - 1) - 1) : 0));
  }
}

// A quarter of the levels is around the target, where stopping is decided. The others are above it,
// with growing distances. The lowest metric of each version is a level of its own: between two
// levels, half of the probability of a run that stays there would be below it, and would seem to
// approach the target with each pass.
void OwnSolver::fill_levels() {
  const double target = setting_.target;
  double top = target;
  double floor = target;
  for (const plan::VersionLaw& law : setting_.laws.versions) {
    top = std::max(top, law.curve.floor + law.curve.scale);
    floor = std::min(floor, law.curve.floor);
  }
  top = target + 1.25 * std::max(top - target, 1e-9);
  const std::uint32_t quarter = grid_.levels / 4;
  const double near = std::max(5 * setting_.evaluation_se, 1e-4 * (top - target));
  for (std::uint32_t i = 0; i < quarter; ++i) {
    levels_.push_back(target - near * (quarter - 1 - i) / (quarter - 1));
  }
  const std::uint32_t above = grid_.levels - quarter;
  const double base = std::min(floor, target - 1e-2 * (top - target)) - 1e-9;
  for (std::uint32_t i = 1; i <= above; ++i) {
    levels_.push_back(base +
                      (target - base) * std::pow((top - base) / (target - base), 1.0 * i / above));
  }
  for (const plan::VersionLaw& law : setting_.laws.versions) {
    const double lowest = std::max(law.metric_supported, law.curve.floor);
    if (lowest > levels_.front() && lowest < levels_.back()) levels_.push_back(lowest);
  }
  std::ranges::sort(levels_);
  levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
}

void OwnSolver::fill_durations() {
  for (const plan::Variant& variant : setting_.variants) {
    const plan::VersionLaw& law = setting_.laws.versions[variant.version];
    Random random(kDurationSeed);
    std::vector<double> chances(grid_.ticks + 1, 0.0);
    double sum_s = 0;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const double seconds = draw_pass_s(law, variant, random);
      sum_s += seconds;
      const double ticks = std::max(1.0, std::round(seconds / tick_s_));
      if (ticks <= grid_.ticks) chances[static_cast<std::size_t>(ticks)] += 1.0 / kDraws;
    }
    duration_.push_back(std::move(chances));
    mean_s_.push_back(sum_s / kDraws);
    cost_.push_back(mean_s_.back() * variant.price_per_s);
  }
}

// The two levels around a metric, weighted so that the mean is kept.
OwnSolver::Place OwnSolver::place_of(double metric) const {
  if (metric <= levels_.front()) return {0, 0};
  if (metric >= levels_.back()) return {levels_.size() - 2, 1};
  const auto above = std::upper_bound(levels_.begin(), levels_.end(), metric);
  const auto high = static_cast<std::size_t>(above - levels_.begin());
  return {high - 1, (metric - levels_[high - 1]) / (levels_[high] - levels_[high - 1])};
}

void OwnSolver::add_chance(std::vector<double>& row, double metric, double chance) const {
  const Place place = place_of(metric);
  row[place.low] += chance * (1 - place.share);
  row[place.low + 1] += chance * place.share;
}

OwnSolver::Matrix OwnSolver::pass_matrix(std::size_t variant, double effect) const {
  const plan::VersionLaw& law = setting_.laws.versions[setting_.variants[variant].version];
  const std::vector<double> points = normal_points(law.noise > 0 ? kPoints : 1);
  const double chance = 1.0 / static_cast<double>(points.size());
  Matrix matrix;
  for (const double level : levels_) {
    auto& row = matrix.emplace_back(levels_.size(), 0.0);
    for (const double z : points) {
      const double step = law.rate * std::exp(effect) * (1 + law.noise * z);
      add_chance(row, metric_after(law, progress_at(law.curve, level) + step), chance);
    }
  }
  return matrix;
}

OwnSolver::Matrix OwnSolver::jump_matrix(std::size_t from, std::size_t to) const {
  const std::vector<double> points = normal_points(kPoints);
  const double chance = 1.0 / static_cast<double>(points.size());
  Matrix matrix;
  for (const double level : levels_) {
    auto& row = matrix.emplace_back(levels_.size(), 0.0);
    for (const double z : points) {
      add_chance(row, jump(setting_, from, to, level, z), chance);
    }
  }
  return matrix;
}

bool OwnSolver::may_begin(std::size_t variant, std::size_t tick) const {
  const plan::Variant& nodes = setting_.variants[variant];
  const double at_s = static_cast<double>(tick) * tick_s_;
  const bool ends_in_time = !nodes.until_s || at_s + mean_s_[variant] <= *nodes.until_s;
  return tick < grid_.ticks && at_s >= nodes.from_s && ends_in_time;
}

std::vector<double> OwnSolver::multiply(const Matrix& matrix, const std::vector<double>& values) {
  std::vector<double> product;
  for (const std::vector<double>& row : matrix) {
    double sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) sum += row[k] * values[k];
    product.push_back(sum);
  }
  return product;
}

// The value of a pass that begins at tick t, from the values at later ticks.
void OwnSolver::fill_passes(std::size_t t, const std::vector<Matrix>& matrices,
                            ClassTables& tables) const {
  const std::size_t variants = setting_.variants.size();
  const std::size_t levels = levels_.size();
  for (std::size_t v = 0; v < variants; ++v) {
    if (!may_begin(v, t)) continue;
    std::vector<double> later(levels, 0.0);
    std::vector<double> later_reach(levels, 0.0);
    for (std::size_t d = 1; t + d <= grid_.ticks; ++d) {
      if (duration_[v][d] == 0) continue;
      for (std::size_t l = 0; l < levels; ++l) {
        later[l] += duration_[v][d] * tables.best[t + d][v][l];
        later_reach[l] += duration_[v][d] * tables.reach[t + d][v][l];
      }
    }
    tables.value[t][v][v] = multiply(matrices[v], later);
    for (double& value : tables.value[t][v][v]) value += cost_[v];
    tables.success[t][v][v] = multiply(matrices[v], later_reach);
  }
  for (std::size_t from = 0; from < variants; ++from) {
    for (std::size_t to = 0; to < variants; ++to) {
      if (jumps_[from][to].empty() || !may_begin(to, t)) continue;
      tables.value[t][from][to] = multiply(jumps_[from][to], tables.value[t][to][to]);
      tables.success[t][from][to] = multiply(jumps_[from][to], tables.success[t][to][to]);
    }
  }
}

bool OwnSolver::allows(bool stops, double success, double most) const {
  if (most <= kGiveUpMax) return true;
  const double needed = kMaskShare * most;
  return success >= (stops ? std::min(needed, goal_.promised) : needed);
}

// The best action at tick t for a run at level l with variant v.
void OwnSolver::decide(std::size_t t, std::size_t v, std::size_t l, ClassTables& tables) const {
  struct Choice {
    bool stops;
    double value;
    double success;
  };
  const double stop = chance_certified(setting_, levels_[l]);
  std::vector<Choice> choices{{true, -goal_.lambda * stop, stop}};
  for (std::size_t to = 0; to < setting_.variants.size(); ++to) {
    if (to != v && jumps_[v][to].empty()) continue;
    const double seconds = to == v ? 0 : switch_s(setting_, v, to);
    const auto begin = t + static_cast<std::size_t>(std::min(std::round(seconds / tick_s_), 1e9));
    if (!may_begin(to, begin)) continue;
    choices.push_back({false,
                       tables.value[begin][v][to][l] + seconds * setting_.variants[to].price_per_s,
                       tables.success[begin][v][to][l]});
  }
  double most = 0;
  for (const Choice& choice : choices) most = std::max(most, choice.success);
  double value = std::numeric_limits<double>::infinity();
  for (const Choice& choice : choices) {
    if (allows(choice.stops, choice.success, most)) value = std::min(value, choice.value);
  }
  tables.best[t][v][l] = value;
  tables.reach[t][v][l] = most;
}

OwnSolver::ClassTables OwnSolver::solve(double effect) const {
  const std::size_t variants = setting_.variants.size();
  const std::size_t levels = levels_.size();
  const Matrix none(variants, std::vector<double>(levels, 0.0));
  ClassTables tables;
  tables.effect = effect;
  tables.best.assign(grid_.ticks + 1, none);
  tables.reach = tables.best;
  tables.value.assign(grid_.ticks + 1, std::vector<Matrix>(variants, none));
  tables.success = tables.value;
  std::vector<Matrix> matrices;
  for (std::size_t v = 0; v < variants; ++v) matrices.push_back(pass_matrix(v, effect));
  for (std::size_t t = grid_.ticks + 1; t-- > 0;) {
    fill_passes(t, matrices, tables);
    for (std::size_t v = 0; v < variants; ++v) {
      for (std::size_t l = 0; l < levels; ++l) decide(t, v, l, tables);
    }
  }
  return tables;
}

OwnSolver::PassValue OwnSolver::pass(std::size_t from, std::size_t to, double seconds,
                                     double metric, Effect effect) const {
  const double at = seconds / tick_s_;
  if (!(at >= 0) || at >= grid_.ticks) return {};
  const auto tick = static_cast<std::size_t>(at);
  if (!may_begin(to, tick) || (from != to && jumps_[from][to].empty())) return {};
  const double later = may_begin(to, tick + 1) ? at - static_cast<double>(tick) : 0;
  const Place place = place_of(metric);
  const auto in_class = [&](const ClassTables& tables, const auto& table) {
    const auto at_tick = [&](std::size_t t) {
      const double* values = &(tables.*table)[t][from][to][place.low];
      return values[0] + place.share * (values[1] - values[0]);
    };
    const double now = at_tick(tick);
    return later > 0 ? now + later * (at_tick(tick + 1) - now) : now;
  };
  PassValue value{0, 0, true};
  // Gauss-Hermite quadrature of the belief with three points. Each is between two classes.
  constexpr std::array<std::pair<double, double>, 3> kBelief{
      {{-1.7320508, 1.0 / 6}, {0, 2.0 / 3}, {1.7320508, 1.0 / 6}}};
  for (const auto& [z, weight] : kBelief) {
    double at_class = 0;
    if (classes_.size() > 1) {
      const double step = classes_[1].effect - classes_[0].effect;
      at_class = std::clamp((effect.mean + z * effect.sd - classes_[0].effect) / step, 0.0,
                            static_cast<double>(classes_.size() - 1));
    }
    const std::size_t low = std::min(static_cast<std::size_t>(at_class),
                                     classes_.size() - std::min<std::size_t>(2, classes_.size()));
    const double share = at_class - static_cast<double>(low);
    for (const auto& [j, part] : {std::pair(low, 1 - share), std::pair(low + 1, share)}) {
      if (part <= 0) continue;
      value.value += weight * part * in_class(classes_[j], &ClassTables::value);
      value.success += weight * part * in_class(classes_[j], &ClassTables::success);
    }
  }
  return value;
}

}  // namespace surety::plan::check
