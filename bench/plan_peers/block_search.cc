#include "bench/plan_peers/block_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "base/check.h"
#include "test/support/plan/schedules/blind_state.h"
#include "test/support/plan/schedules/evaluate_fixed.h"

namespace surety::bench {
namespace {

using namespace plan;

// A run of a blind schedule: the part that continues, and the success of the part that stopped.
struct Course {
  BlindState running;      // Nothing at or below the stop level, except directly after a switch.
  double probability = 0;  // Chance of having stopped with success.
};

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

// Runs whose time is outside the window stop at their level.
void stop_outside(const Mdp& mdp, const TickWindow& window, Course& course) {
  const TickChances inside = course.running.time.within(window);
  const double stopped = course.running.time.total() - inside.total();
  course.probability += stopped * success_of(mdp, course.running.levels);
  course.running.time = inside;
}

void run_pass(const Mdp& mdp, std::size_t v, std::size_t stop_level, Course& course) {
  const MdpVariant& variant = mdp.variants[v];
  stop_outside(mdp, pass_window(mdp, v), course);
  BlindState& running = course.running;
  running.cost += variant.cost * running.time.total() * sum(running.levels);
  running.time = running.time.plus(variant.duration, mdp.ticks);
  running.levels = variant.pass.apply(running.levels);
  for (std::size_t l = 0; l <= stop_level; ++l) {
    course.probability += running.time.total() * running.levels[l] * mdp.success[l];
    running.levels[l] = 0;
  }
}

void run_switch(const Mdp& mdp, const MdpSwitch& change, Course& course) {
  TickWindow window = pass_window(mdp, change.to);
  if (window.last < window.first || window.last < change.ticks) {
    window = {1, 0};
  } else {
    window = {window.first > change.ticks ? window.first - change.ticks : 0,
              window.last - change.ticks};
  }
  stop_outside(mdp, window, course);
  BlindState& running = course.running;
  running.cost += change.cost * running.time.total() * sum(running.levels);
  running.time = running.time.later_by(change.ticks);
  running.levels = jumped(mdp, change, running.levels);
}

// Success and cost if `v` then runs until the target or the deadline.
BlindPlan finish(const Mdp& mdp, const RunOut& out, std::size_t v, Course course) {
  stop_outside(mdp, pass_window(mdp, v), course);
  BlindPlan plan{{}, course.probability, course.running.cost};
  const BlindState& running = course.running;
  std::size_t first = 0;
  std::size_t end = running.levels.size();
  while (first < end && running.levels[first] == 0) ++first;
  while (end > first && running.levels[end - 1] == 0) --end;
  for (std::size_t i = 0; i < running.time.chances().size(); ++i) {
    const std::size_t tick = running.time.first() + i;
    const double* probability = out.probability.row(tick, v);
    const double* cost = out.cost.row(tick, v);
    double p = 0;
    double c = 0;
    for (std::size_t l = first; l < end; ++l) {
      p += running.levels[l] * probability[l];
      c += running.levels[l] * cost[l];
    }
    plan.probability += running.time.chances()[i] * p;
    plan.cost += running.time.chances()[i] * c;
  }
  return plan;
}

Course begin(const MdpStart& start) { return {{start.cost, TickChances(0), start.levels}, 0}; }

std::vector<std::uint32_t> lattice(const BlockOptions& options) {
  std::vector<std::uint32_t> passes;
  double next = 1;
  while (next <= options.passes_max) {
    passes.push_back(static_cast<std::uint32_t>(next));
    next = std::max(std::floor(next) + 1, next * options.growth);
  }
  return passes;
}

class BlockSearch {
 public:
  BlockSearch(const Mdp& mdp, const std::vector<MdpStart>& starts,
              const std::vector<double>& omegas, const BlockOptions& options)
      : mdp_(mdp),
        starts_(starts),
        omegas_(omegas),
        options_(options),
        out_(run_out(mdp, options.stop_level)),
        lattice_(lattice(options)),
        best_(omegas.size()) {}

  BlockResult solve() {
    for (const MdpStart& start : starts_) {
      prefix_ = {{start.variant, 1}};
      explore(begin(start));
    }
    BlockResult result;
    for (std::size_t k = 0; k < omegas_.size(); ++k) result.plans.push_back(refined(k));
    result.schedules = schedules_;
    return result;
  }

 private:
  using Sequence = std::vector<std::size_t>;  // Variants of the legs.

  // The last leg of prefix_ is about to begin. It is either the last of all, or another follows.
  void explore(const Course& course) {
    const std::size_t v = prefix_.back().variant;
    record(finish(mdp_, out_, v, course));
    if (prefix_.size() >= options_.blocks_max || mdp_.switches[v].empty()) return;
    Course after = course;
    std::uint32_t done = 0;
    for (const std::uint32_t passes : lattice_) {
      for (; done < passes; ++done) run_pass(mdp_, v, options_.stop_level, after);
      if (after.running.cost >= cost_limit() || after.running.time.total() == 0) break;
      prefix_.back().passes = passes;
      for (const MdpSwitch& change : mdp_.switches[v]) {
        Course next = after;
        run_switch(mdp_, change, next);
        // Such a schedule abandons runs instead of continuing them.
        if (next.running.time.total() == 0) continue;
        prefix_.push_back({change.to, 1});
        explore(next);
        prefix_.pop_back();
      }
    }
    prefix_.back().passes = 1;
  }

  void record(BlindPlan plan) {
    ++schedules_;
    plan.schedule = prefix_;
    for (std::size_t k = 0; k < omegas_.size(); ++k) {
      if (plan.probability < omegas_[k]) continue;
      Sequence sequence;
      for (const Leg& leg : prefix_) sequence.push_back(leg.variant);
      auto [it, fresh] = best_[k].try_emplace(sequence, plan);
      if (!fresh && is_better(plan, it->second)) it->second = plan;
      cheapest_ = k + 1 == omegas_.size() ? std::min(cheapest_, plan.cost) : cheapest_;
    }
  }

  // A schedule that keeps the highest promise keeps all promises, so more expensive ones are
  // useless.
  [[nodiscard]] double cost_limit() const { return cheapest_; }

  static bool is_better(const BlindPlan& a, const BlindPlan& b) {
    return std::tuple(a.cost, a.schedule.size(), a.schedule) <
           std::tuple(b.cost, b.schedule.size(), b.schedule);
  }

  [[nodiscard]] std::optional<BlindPlan> refined(std::size_t k) {
    std::vector<BlindPlan> plans;
    for (const auto& [sequence, plan] : best_[k]) plans.push_back(plan);
    std::sort(plans.begin(), plans.end(), is_better);
    if (plans.empty()) return std::nullopt;
    plans.resize(std::min(plans.size(), std::max<std::size_t>(options_.refined, 1)));
    for (BlindPlan& plan : plans) refine(omegas_[k], plan);
    return *std::min_element(plans.begin(), plans.end(), is_better);
  }

  // Moves passes by steps that are halved when nothing improves.
  void refine(double omega, BlindPlan& plan) {
    std::uint32_t step = 1;
    for (const Leg& leg : plan.schedule) step = std::max(step, leg.passes / 8);
    for (std::uint32_t round = 0; round < options_.refine_rounds; ++round) {
      if (refine_once(omega, step, plan)) continue;
      if (step == 1) return;
      step = std::max(step / 2, 1u);
    }
  }

  // Tries each block longer and shorter, and moves passes from a block to the next.
  bool refine_once(double omega, std::uint32_t step, BlindPlan& plan) {
    BlindPlan best = plan;
    const auto by = static_cast<std::int64_t>(step);
    for (std::size_t leg = 0; leg + 1 < plan.schedule.size(); ++leg) {
      for (const std::int64_t here : {-by, std::int64_t{0}, by}) {
        for (const std::int64_t there : {-by, std::int64_t{0}, by}) {
          const bool last = leg + 2 >= plan.schedule.size();
          if ((here == 0 && there == 0) || (last && there != 0)) continue;
          Schedule trial = plan.schedule;
          if (!change(trial[leg], here) || (!last && !change(trial[leg + 1], there))) continue;
          const auto found = evaluate_early_stop(mdp_, out_, starts_, trial);
          ++schedules_;
          if (found && found->probability >= omega && is_better(*found, best)) best = *found;
        }
      }
    }
    const bool better = best.schedule != plan.schedule;
    plan = best;
    return better;
  }

  [[nodiscard]] bool change(Leg& leg, std::int64_t by) const {
    const std::int64_t passes = static_cast<std::int64_t>(leg.passes) + by;
    if (passes < 1 || passes > static_cast<std::int64_t>(options_.passes_max)) return false;
    leg.passes = static_cast<std::uint32_t>(passes);
    return true;
  }

  const Mdp& mdp_;
  const std::vector<MdpStart>& starts_;
  const std::vector<double>& omegas_;
  const BlockOptions& options_;
  RunOut out_;
  std::vector<std::uint32_t> lattice_;
  Schedule prefix_;  // Changed by explore().
  // One entry for each omega; filled by record().
  std::vector<std::map<Sequence, BlindPlan>> best_;
  // The least cost that keeps the highest promise.
  double cheapest_ = std::numeric_limits<double>::infinity();
  std::size_t schedules_ = 0;
};

// One pass back from the tables at later ticks. Outside the window the run stops.
void run_out_at(const Mdp& mdp, std::size_t tick, std::size_t v, RunOut& out) {
  const MdpVariant& variant = mdp.variants[v];
  const TickWindow window = pass_window(mdp, v);
  double* probability = &out.probability.at(tick, v, 0);
  double* cost = &out.cost.at(tick, v, 0);
  if (tick < window.first || tick > window.last) {
    std::copy(mdp.success.begin(), mdp.success.end(), probability);
    return;
  }
  std::vector<double> p(mdp.levels());
  std::vector<double> c(mdp.levels());
  for (std::size_t d = 1; d < variant.duration.size() && tick + d <= mdp.ticks; ++d) {
    const double chance = variant.duration[d];
    if (chance == 0) continue;
    const double* later_p = out.probability.row(tick + d, v);
    const double* later_c = out.cost.row(tick + d, v);
    for (std::size_t l = 0; l <= out.stop_level; ++l) p[l] += chance * mdp.success[l];
    for (std::size_t l = out.stop_level + 1; l < p.size(); ++l) {
      p[l] += chance * later_p[l];
      c[l] += chance * later_c[l];
    }
  }
  for (std::size_t l = 0; l < p.size(); ++l) {
    const Kernel::View row = variant.pass.view(l);
    cost[l] = variant.cost;
    for (std::size_t i = 0; i < row.chances.size(); ++i) {
      probability[l] += row.chances[i] * p[row.first + i];
      cost[l] += row.chances[i] * c[row.first + i];
    }
  }
}

}  // namespace

RunOut run_out(const Mdp& mdp, std::size_t stop_level) {
  SURETY_CHECK(stop_level < mdp.levels());
  const Table empty(mdp.ticks, mdp.variants.size(), mdp.levels());
  RunOut out{stop_level, empty, empty};
  for (std::size_t tick = mdp.ticks + 1; tick-- > 0;) {
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) run_out_at(mdp, tick, v, out);
  }
  return out;
}

BlockResult early_stop_search(const Mdp& mdp, const std::vector<MdpStart>& starts,
                              const std::vector<double>& omegas, const BlockOptions& options) {
  SURETY_CHECK(!omegas.empty() && std::is_sorted(omegas.begin(), omegas.end()));
  SURETY_CHECK(options.blocks_max > 0 && options.growth > 1);
  return BlockSearch(mdp, starts, omegas, options).solve();
}

std::optional<BlindPlan> evaluate_early_stop(const Mdp& mdp, const RunOut& out,
                                             const std::vector<MdpStart>& starts,
                                             const Schedule& schedule) {
  SURETY_CHECK(!schedule.empty());
  const MdpStart* start = find_start(starts, schedule.front().variant);
  if (start == nullptr) return std::nullopt;
  Course course = begin(*start);
  for (std::size_t leg = 0; leg + 1 < schedule.size(); ++leg) {
    for (std::uint32_t pass = 0; pass < schedule[leg].passes; ++pass) {
      run_pass(mdp, schedule[leg].variant, out.stop_level, course);
    }
    const MdpSwitch* change = find_switch(mdp, schedule[leg].variant, schedule[leg + 1].variant);
    if (change == nullptr) return std::nullopt;
    run_switch(mdp, *change, course);
    if (course.running.time.total() == 0) return std::nullopt;
  }
  BlindPlan plan = finish(mdp, out, schedule.back().variant, std::move(course));
  plan.schedule = schedule;
  return plan;
}

}  // namespace surety::bench
