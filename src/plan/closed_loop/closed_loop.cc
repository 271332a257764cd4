#include "plan/closed_loop/closed_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/laws/time_model.h"

namespace surety::plan {
namespace {

constexpr std::size_t kClassesMax = 45;  // Enough for 15 effects.

// A position between two neighbours: index + share.
struct Place {
  std::size_t index = 0;
  double share = 0;
};

Place place_in(const std::vector<double>& levels, double metric) {
  if (!(metric > levels.front())) return {0, 0};
  if (!(metric < levels.back())) return {levels.size() - 1, 0};
  const auto above = std::upper_bound(levels.begin(), levels.end(), metric);
  const auto high = static_cast<std::size_t>(above - levels.begin());
  const double low = levels[high - 1];
  return {high - 1, (metric - low) / (levels[high] - low)};
}

// Probability of a class, and the level at which the run is if it belongs to that class.
struct ClassView {
  double probability = 0;
  Place level;
};

using View = InlineVector<ClassView, kClassesMax>;  // One entry for each class.

// Hypotheses of the belief are finer than the classes. Each one is divided between its two
// neighbours in effect among the classes with its stuck quantile. Both are in the same order.
View view_of(const ClosedLoopModel& model, const RunBelief& belief) {
  const std::vector<RunClass>& classes = model.classes();
  std::array<double, kClassesMax> probability;
  std::array<double, kClassesMax> metric;
  std::fill_n(probability.begin(), classes.size(), 0.0);
  std::fill_n(metric.begin(), classes.size(), 0.0);
  const double first = classes.front().effect;
  const double step = model.effects() > 1 ? classes[1].effect - first : 1;
  std::size_t block = 0;  // First index of the classes with the same stuck quantile.
  double stuck_quantile = belief.hypotheses().front().stuck_quantile;
  for (const RunBelief::Hypothesis& one : belief.hypotheses()) {
    if (one.stuck_quantile != stuck_quantile) {
      stuck_quantile = one.stuck_quantile;
      block += model.effects();
    }
    const double at =
        std::clamp((one.effect - first) / step, 0.0, static_cast<double>(model.effects() - 1));
    const auto low = static_cast<std::size_t>(at);
    const double share = at - static_cast<double>(low);
    probability[block + low] += one.probability * (1 - share);
    metric[block + low] += one.probability * (1 - share) * one.metric;
    if (share > 0) {
      probability[block + low + 1] += one.probability * share;
      metric[block + low + 1] += one.probability * share * one.metric;
    }
  }
  View view;
  double known = std::numeric_limits<double>::quiet_NaN();
  Place place;
  for (std::size_t j = 0; j < classes.size(); ++j) {
    if (!(probability[j] > 0)) {
      view.push_back({});
      continue;
    }
    const double mean = metric[j] / probability[j];
    // Without jitter most classes have the same metric, except for rounding.
    if (!(std::abs(mean - known) <= 1e-12 * std::abs(known))) {
      known = mean;
      place = place_in(model.levels(), mean);
    }
    view.push_back({probability[j], place});
  }
  return view;
}

// The view before the first pass, with this variant.
View view_at_start(const ClosedLoopModel& model, std::size_t variant) {
  const Place start = place_in(model.levels(), model.setting().law_of(variant).curve.at(0));
  View view;
  for (std::size_t j = 0; j < model.classes().size(); ++j) {
    view.push_back({model.classes()[j].probability, start});
  }
  return view;
}

// Variants with which a run may begin.
std::vector<std::size_t> starts(const ClosedLoopModel& model) {
  std::vector<std::size_t> result;
  for (std::size_t v = 0; v < model.setting().variants.size(); ++v) {
    if (can_run(model.processes().front(), v, 0)) result.push_back(v);
  }
  return result;
}

double at_level(const Table& table, std::size_t tick, std::size_t row, const Place& level) {
  const double* values = table.row(tick, row) + level.index;
  return level.share > 0 ? values[0] + level.share * (values[1] - values[0]) : values[0];
}

// When a pass would begin. Near the deadline or the end of a window, only the earlier tick counts.
struct Begin {
  std::size_t tick = 0;
  double share = 0;  // Weight of the next tick.
};

struct ActionValue {
  double value = 0;
  double success = 0;
};

ActionValue between(const ActionValue& a, const ActionValue& b, double share) {
  return {a.value + share * (b.value - a.value), a.success + share * (b.success - a.success)};
}

// The value of a pass that begins at a tick, at a level or between two levels.
ActionValue at_tick(const ActionValues& values, std::size_t tick, std::size_t next_pass,
                    const Place& level, std::size_t which) {
  const auto& low = values.at(tick, next_pass, level.index)[which];
  if (!(level.share > 0)) return {low.value, low.success};
  const auto& high = values.at(tick, next_pass, level.index + 1)[which];
  return between({low.value, low.success}, {high.value, high.success}, level.share);
}

// The expectation over the classes.
ActionValue expect(const ActionValues& values, const Begin& begin, std::size_t next_pass,
                   const View& view) {
  ActionValue sum;
  for (std::size_t j = 0; j < view.size(); ++j) {
    const ClassView& one = view[j];
    if (!(one.probability > 0)) continue;
    ActionValue its = at_tick(values, begin.tick, next_pass, one.level, j);
    if (begin.share > 0) {
      its = between(its, at_tick(values, begin.tick + 1, next_pass, one.level, j), begin.share);
    }
    sum.value += one.probability * its.value;
    sum.success += one.probability * its.success;
  }
  return sum;
}

std::optional<Begin> begin_at(const Mdp& mdp, std::size_t variant, double ticks) {
  if (!(ticks < static_cast<double>(mdp.ticks))) return std::nullopt;
  const auto tick = static_cast<std::size_t>(std::max(ticks, 0.0));
  if (!can_run(mdp, variant, tick)) return std::nullopt;
  const double share = std::max(ticks, 0.0) - static_cast<double>(tick);
  return Begin{tick, can_run(mdp, variant, tick + 1) ? share : 0};
}

// The values of the next passes, one table for each class.
std::vector<Table> values_of(const ClosedLoopModel& model, double lambda) {
  const ClosedLoopOptions& options = model.options();
  std::vector<Table> values;
  for (std::size_t j = 0; j < model.classes().size(); ++j) {
    values.push_back(
        next_pass_values(model.processes()[j], lambda, &model.in_reach()[j], options.mask));
  }
  return values;
}

// A run that stops with the promised chance of certification keeps the promise.
ClosedLoopOptions enough_for(ClosedLoopOptions options, double probability) {
  options.mask.enough = std::min(options.mask.enough, probability);
  return options;
}

}  // namespace

ClosedLoopModel::ClosedLoopModel(const Setting& setting, const ClosedLoopOptions& options)
    : setting_(setting),
      options_(enough_for(options, setting.probability)),
      tick_s_(tick_seconds(setting, options.grid)),
      levels_(metric_levels(setting, options.grid.levels)),
      classes_(run_classes(setting.laws, options.classes)) {
  SURETY_CHECK(!setting.variants.empty() && classes_.size() <= kClassesMax);
  while (effects_ < classes_.size() &&
         classes_[effects_].stuck_quantile == classes_[0].stuck_quantile)
    ++effects_;
  for (const RunClass& one : classes_) {
    processes_.push_back(make_mdp(setting_, levels_, options.grid, one));
    in_reach_.push_back(max_success(processes_.back()));
  }
  next_passes_ = list_next_passes(processes_.front());
  actions_ = list_actions(processes_.front(), next_passes_);
}

double ClosedLoopModel::success_max() const {
  double best = 0;
  for (const std::size_t v : starts(*this)) {
    const View view = view_at_start(*this, v);
    double success = 0;
    for (std::size_t j = 0; j < classes_.size(); ++j) {
      success +=
          view[j].probability * at_level(in_reach_[j].next_pass_probability, 0, v, view[j].level);
    }
    best = std::max(best, success);
  }
  return best;
}

double ClosedLoopModel::cost_max() const {
  double dearest = 0;
  for (const Variant& variant : setting_.variants) {
    dearest = std::max(dearest, variant.price_per_s);
  }
  return setting_.data_price + dearest * setting_.deadline_s;
}

ActionValues::ActionValues(const std::vector<Table>& values,
                           const std::vector<MaxSuccess>& in_reach)
    : next_passes_(values.front().rows()),
      levels_(values.front().levels()),
      classes_(values.size()) {
  const std::size_t size = values.front().values().size();
  for (std::size_t j = 0; j < classes_; ++j) {
    SURETY_CHECK(values[j].values().size() == size);
    SURETY_CHECK(in_reach[j].next_pass_probability.values().size() == size);
  }
  values_.reserve(size * classes_);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < classes_; ++j) {
      values_.push_back({static_cast<float>(values[j].values()[i]),
                         static_cast<float>(in_reach[j].next_pass_probability.values()[i])});
    }
  }
}

ClosedLoop::ClosedLoop(std::shared_ptr<const ClosedLoopModel> model, double lambda)
    : model_(std::move(model)),
      lambda_(lambda),
      values_(values_of(*model_, lambda), model_->in_reach()) {
  // The start must also keep nearly all of the success that can be reached.
  const ClosedLoopOptions& options = model_->options();
  const double needed = options.mask.kappa * model_->success_max();
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t v : starts(*model_)) {
    const ActionValue start = expect(values_, {}, v, view_at_start(*model_, v));
    if (start.success >= needed && start.value < best) best = start.value, first_ = v;
  }
}

ClosedLoop::Options ClosedLoop::options(const DecisionState& state) const {
  SURETY_CHECK(state.belief != nullptr);
  const ClosedLoopModel& model = *model_;
  const Setting& setting = model.setting();
  const Mdp& any = model.processes().front();
  const View view = view_of(model, *state.belief);
  const double ticks = state.seconds / model.tick_s();

  // Stopping keeps the current checkpoint, however far it is from the run's course.
  const double certified = certified_chance(setting, state.metric);
  Options result;
  result.push_back({true, state.variant, -lambda_ * certified, certified, true});
  for (const Action& action : model.actions()[state.variant]) {
    const std::size_t to = model.next_passes()[action.next_pass].to;
    const double pass_cost = action.cost + any.variants[to].cost;
    if (state.money_left && pass_cost > *state.money_left) continue;
    const auto begin = begin_at(any, to, ticks + action.ticks);
    if (!begin) continue;
    const ActionValue expected = expect(values_, *begin, action.next_pass, view);
    result.push_back({false, to, action.cost + expected.value, expected.success, true});
  }
  double in_reach = 0;
  for (const Option& option : result) in_reach = std::max(in_reach, option.success);
  const MaskOptions& mask = model.options().mask;
  const double needed = in_reach <= mask.give_up_max ? 0 : mask.kappa * in_reach;
  for (Option& option : result) {
    option.admissible = option.success >= (option.stop ? std::min(needed, mask.enough) : needed);
  }
  return result;
}

Move ClosedLoop::next(const DecisionState& state) const {
  const Options all = options(state);
  const Option* best = nullptr;
  for (const Option& option : all) {
    if (option.admissible && (best == nullptr || option.value < best->value)) best = &option;
  }
  SURETY_CHECK(best != nullptr);
  if (!best->stop) {
    return {best->variant == state.variant ? Choice::kContinue : Choice::kSwitch, best->variant, 0};
  }
  if (best->success >= 0.5) return {Choice::kStopMet, 0, 0};
  if (all.size() > 1) return {Choice::kStopHopeless, 0, 0};
  const double left = model_->setting().deadline_s - model_->setting().certify_s;
  return {state.seconds + model_->tick_s() > left || !state.money_left ? Choice::kStopNoTime
                                                                       : Choice::kStopNoMoney,
          0, 0};
}

}  // namespace surety::plan
