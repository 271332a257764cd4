#include "test/support/plan/schedules/fixed_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "test/support/plan/schedules/blind_state.h"

namespace surety::plan {
namespace {

constexpr double kFixedTolerance = 1e-13;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> pulled_back(const Kernel& kernel, const std::vector<double>& values) {
  std::vector<double> result;
  for (std::size_t l = 0; l < values.size(); ++l) {
    const Kernel::View row = kernel.view(l);
    result.push_back(std::inner_product(row.chances.begin(), row.chances.end(),
                                        values.begin() + static_cast<std::ptrdiff_t>(row.first),
                                        0.0));
  }
  return result;
}

// A last block; entry n - 1 is for n passes.
struct LastBlock {
  std::size_t variant = 0;
  // Indexed by passes, and by level before the block (before the switch into it).
  std::vector<std::vector<double>> success;
  bool more_is_better = true;  // Whether this holds at every level.
};

class FixedSearch {
 public:
  FixedSearch(const Mdp& mdp, const std::vector<double>& omegas, std::uint32_t blocks_max)
      : mdp_(mdp), omegas_(omegas), blocks_max_(blocks_max) {
    best_.assign(omegas.size(), {{}, 0, std::numeric_limits<double>::infinity()});
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) add_variant(v);
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      auto& blocks = switched_.emplace_back();
      for (const MdpSwitch& change : mdp.switches[v]) blocks.push_back(behind(change));
    }
  }

  FixedResult solve(const std::vector<MdpStart>& starts) {
    for (const MdpStart& start : starts) {
      const BlindState state{start.cost, TickChances(0), start.levels};
      prefix_ = {{start.variant, 0}};
      finish(last_[start.variant], state);
      if (blocks_max_ > 1) walk(state);
    }
    FixedResult result;
    result.prefixes = prefixes_;
    for (const BlindPlan& best : best_) {
      result.plans.emplace_back();
      if (!best.schedule.empty()) result.plans.back() = best;
    }
    return result;
  }

 private:
  // Builds the tables of a variant, up to the most passes that could end in time.
  void add_variant(std::size_t v) {
    const MdpVariant& variant = mdp_.variants[v];
    windows_.push_back(pass_window(mdp_, v));
    always_.push_back(variant.first_tick == 0 && variant.last_tick >= mdp_.ticks);
    LastBlock block{.variant = v, .success = {}};
    std::vector<TickChances> durations;
    TickChances time = TickChances(0);
    std::vector<double> success = mdp_.success;
    while (true) {
      time = time.plus(variant.duration, mdp_.ticks);
      if (time.total() < omegas_.front()) break;
      durations.push_back(time);
      std::vector<double> more = pulled_back(variant.pass, success);
      block.more_is_better = block.more_is_better && is_at_least(more, success);
      success = std::move(more);
      block.success.push_back(success);
    }
    durations_.push_back(std::move(durations));
    last_.push_back(std::move(block));
  }

  static bool is_at_least(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t l = 0; l < a.size(); ++l) {
      if (a[l] < b[l] - kFixedTolerance) return false;
    }
    return true;
  }

  [[nodiscard]] LastBlock behind(const MdpSwitch& change) const {
    LastBlock block = last_[change.to];
    if (!change.jump) return block;
    for (auto& success : block.success) success = pulled_back(mdp_.jumps[*change.jump], success);
    return block;
  }

  // The last leg of prefix_ is about to begin, and others follow it.
  void walk(BlindState state) {
    const std::size_t v = prefix_.back().variant;
    const MdpVariant& variant = mdp_.variants[v];
    if (mdp_.switches[v].empty()) return;
    while (true) {
      state.cost += variant.cost;
      state.time = state.time.within(windows_[v]).plus(variant.duration, mdp_.ticks);
      if (state.cost >= cost_limit() || state.time.total() < omegas_.front()) break;
      state.levels = variant.pass.apply(state.levels);
      prefix_.back().passes += 1;
      ++prefixes_;
      for (std::size_t i = 0; i < mdp_.switches[v].size(); ++i) follow(i, state);
    }
  }

  void follow(std::size_t i, const BlindState& state) {
    const MdpSwitch& change = mdp_.switches[prefix_.back().variant][i];
    BlindState next{state.cost + change.cost, state.time.later_by(change.ticks), state.levels};
    if (next.time.within(windows_[change.to]).total() < omegas_.front()) return;
    const LastBlock& block = switched_[prefix_.back().variant][i];
    prefix_.push_back({change.to, 0});
    finish(block, next);
    if (prefix_.size() < blocks_max_) {
      next.levels = jumped(mdp_, change, next.levels);
      walk(std::move(next));
    }
    prefix_.pop_back();
  }

  // Finds the fewest passes of the last block that keep each promise.
  void finish(const LastBlock& block, const BlindState& state) {
    std::size_t from = 0;
    const double cost = mdp_.variants[block.variant].cost;
    for (std::size_t k = 0; k < omegas_.size(); ++k) {
      from = enough_passes(block, state.levels, omegas_[k], from);
      for (std::size_t n = from; n < block.success.size(); ++n) {
        const double total = state.cost + cost * static_cast<double>(n + 1);
        if (total >= best_[k].cost) break;
        const double in_time = chance_in_time(block.variant, state.time, n);
        if (in_time < omegas_[k]) break;
        const double p = in_time * product(state.levels, block.success[n]);
        if (p < omegas_[k]) continue;
        prefix_.back().passes = static_cast<std::uint32_t>(n + 1);
        best_[k] = {prefix_, p, total};
        prefix_.back().passes = 0;
        break;
      }
    }
  }

  // The fewest passes that are enough, without regard to time.
  [[nodiscard]] static std::size_t enough_passes(const LastBlock& block,
                                                 const std::vector<double>& levels, double omega,
                                                 std::size_t from) {
    if (!block.more_is_better) return from;
    std::size_t end = block.success.size();
    while (from < end) {
      const std::size_t middle = (from + end) / 2;
      if (product(levels, block.success[middle]) < omega) {
        from = middle + 1;
      } else {
        end = middle;
      }
    }
    return from;
  }

  // Chance that n + 1 passes after `time` end before the deadline.
  [[nodiscard]] double chance_in_time(std::size_t v, TickChances time, std::size_t n) const {
    if (!always_[v]) {
      for (std::size_t pass = 0; pass <= n; ++pass) {
        time = time.within(windows_[v]).plus(mdp_.variants[v].duration, mdp_.ticks);
      }
      return time.total();
    }
    const TickChances& block = durations_[v][n];
    double sum = 0;
    double by_then = 0;
    std::uint32_t next = block.first();
    // The later the block begins, the less time it has. So both sums are built from their far ends.
    for (std::size_t i = time.chances().size(); i-- > 0;) {
      const std::size_t tick = time.first() + i;
      if (tick > mdp_.ticks) continue;
      for (; next + tick <= mdp_.ticks && next < block.first() + block.chances().size(); ++next) {
        by_then += block.at(next);
      }
      sum += time.chances()[i] * by_then;
    }
    return sum;
  }

  [[nodiscard]] double cost_limit() const {
    double limit = 0;
    for (const BlindPlan& best : best_) limit = std::max(limit, best.cost);
    return limit;
  }

  const Mdp& mdp_;
  const std::vector<double>& omegas_;
  const std::uint32_t blocks_max_;
  std::vector<TickWindow> windows_;  // One entry for each variant.
  std::vector<bool> always_;         // For each variant: whether it may begin at any tick.
  std::vector<std::vector<TickChances>> durations_;  // Indexed by variant and passes - 1.
  std::vector<LastBlock> last_;                      // One entry for each variant.
  std::vector<std::vector<LastBlock>> switched_;     // Indexed by variant and switch.
  Schedule prefix_;  // Passes counted by walk(); legs added and removed by follow().
  // One entry for each omega; the cost is infinite if there is no schedule yet.
  std::vector<BlindPlan> best_;
  std::size_t prefixes_ = 0;
};

}  // namespace

FixedResult fixed_search(const Mdp& mdp, const std::vector<MdpStart>& starts,
                         const std::vector<double>& omegas, std::uint32_t blocks_max) {
  SURETY_CHECK(!omegas.empty() && std::is_sorted(omegas.begin(), omegas.end()));
  SURETY_CHECK(blocks_max > 0 && mdp.switches.size() == mdp.variants.size());
  return FixedSearch(mdp, omegas, blocks_max).solve(starts);
}

}  // namespace surety::plan
