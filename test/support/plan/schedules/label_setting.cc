#include "test/support/plan/schedules/label_setting.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/check.h"
#include "test/support/plan/schedules/blind_state.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();
// Larger than the difference between two ways to add the same chances, and far too small to matter
// for a plan.
constexpr double kTolerance = 1e-13;

struct Label {
  BlindState state;
  std::uint32_t switches = 0;
  std::uint32_t pass = 0;  // Index of the last pass in the arena.
};

// A pass and the one before it. Paths share their beginnings.
struct PassNode {
  std::uint32_t parent = kNoParent;
  std::uint32_t variant = 0;
  bool new_leg = true;
};

// The smallest level for which the run is at or below it with chance p.
std::size_t level_quantile(const std::vector<double>& levels, double p) {
  double sum = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    sum += levels[l];
    if (sum >= p - kTolerance) return l;
  }
  return levels.size() - 1;
}

bool is_no_higher(const std::vector<double>& a, const std::vector<double>& b) {
  double sum_a = 0;
  double sum_b = 0;
  for (std::size_t l = 0; l < a.size(); ++l) {
    sum_a += a[l];
    sum_b += b[l];
    if (sum_a < sum_b - kTolerance) return false;
  }
  return true;
}

class LabelSearch {
 public:
  LabelSearch(const Mdp& mdp, std::vector<double> omegas, const LabelOptions& options)
      : mdp_(mdp), omegas_(std::move(omegas)), options_(options), buckets_(mdp.ticks + 1) {
    for (auto& bucket : buckets_) bucket.resize(mdp.variants.size());
    for (std::size_t v = 0; v < mdp.variants.size(); ++v) {
      windows_.push_back(pass_window(mdp, v));
      earlier_is_better_ = earlier_is_better_ && mdp.variants[v].first_tick == 0;
    }
    best_.resize(omegas_.size());
  }

  LabelResult solve(const std::vector<MdpStart>& starts) {
    for (const MdpStart& start : starts) {
      run(start.variant, {start.cost, TickChances(0), start.levels}, 0, {.parent = kNoParent});
    }
    for (auto& bucket : buckets_) {
      for (std::size_t v = 0; v < bucket.size(); ++v) {
        for (const auto& [vertex, labels] : bucket[v]) {
          for (const Label& label : labels) extend(v, label);
        }
        bucket[v].clear();
      }
    }
    return result();
  }

 private:
  // Indexed by class; with the exact rule all are in class 0.
  using Labels = std::map<std::size_t, std::vector<Label>>;

  struct Best {
    double cost = std::numeric_limits<double>::infinity();
    double probability = 0;
    std::uint32_t pass = kNoParent;
  };

  void extend(std::size_t v, const Label& label) {
    if (label.state.cost >= cost_limit()) return;
    run(v, label.state, label.switches, {.parent = label.pass, .new_leg = false});
    if (label.switches + 1 >= options_.blocks_max) return;
    for (const MdpSwitch& change : mdp_.switches[v]) {
      BlindState after{label.state.cost + change.cost, label.state.time.later_by(change.ticks), {}};
      if (!could_do(change.to, after)) continue;
      after.levels = jumped(mdp_, change, label.state.levels);
      run(change.to, after, label.switches + 1, {.parent = label.pass});
    }
  }

  // Whether a pass of `v` could end in time without a cost above the known limit.
  [[nodiscard]] bool could_do(std::size_t v, const BlindState& before) const {
    return before.cost + mdp_.variants[v].cost < cost_limit() &&
           before.time.within(windows_[v]).total() * mdp_.success[0] >= omegas_.front();
  }

  void run(std::size_t v, const BlindState& before, std::uint32_t switches, PassNode node) {
    if (!could_do(v, before)) return;
    const MdpVariant& variant = mdp_.variants[v];
    Label label;
    label.state.time = before.time.within(windows_[v]).plus(variant.duration, mdp_.ticks);
    if (label.state.time.total() * mdp_.success[0] < omegas_.front()) return;
    label.state.cost = before.cost + variant.cost;
    label.state.levels = variant.pass.apply(before.levels);
    label.switches = switches;
    node.variant = static_cast<std::uint32_t>(v);
    consider(v, std::move(label), node);
  }

  void consider(std::size_t v, Label label, const PassNode& node) {
    label.pass = static_cast<std::uint32_t>(passes_.size());
    const double p = success_of(mdp_, label.state.levels) * label.state.time.total();
    bool used = false;
    for (std::size_t k = 0; k < omegas_.size(); ++k) {
      if (p < omegas_[k] || label.state.cost >= best_[k].cost) continue;
      best_[k] = {label.state.cost, p, label.pass};
      used = true;
    }
    // If the highest promise is already kept, more passes only cost more.
    if (p < omegas_.back()) used = keep(v, std::move(label)) || used;
    if (used) passes_.push_back(node);
  }

  // Returns whether the label was kept.
  bool keep(std::size_t v, Label label) {
    if (labels_ >= options_.labels_max) {
      complete_ = false;
      return false;
    }
    const std::uint32_t tick = label.state.time.quantile(omegas_.front());
    SURETY_CHECK(tick <= mdp_.ticks);
    const bool kept = options_.rule == LabelRule::kExact
                          ? keep_undominated(buckets_[tick][v][0], std::move(label))
                          : keep_cheapest(buckets_[tick][v], std::move(label));
    labels_ += kept ? 1 : 0;
    return kept;
  }

  bool keep_cheapest(Labels& vertices, Label label) {
    const std::size_t classes =
        options_.quantile_classes > 0 ? options_.quantile_classes : mdp_.levels();
    const std::size_t level = level_quantile(label.state.levels, omegas_.front());
    std::vector<Label>& vertex = vertices[level * classes / mdp_.levels()];
    if (!vertex.empty() && vertex.front().state.cost <= label.state.cost) return false;
    vertex.clear();
    vertex.push_back(std::move(label));
    return true;
  }

  bool keep_undominated(std::vector<Label>& labels, Label label) const {
    for (const Label& other : labels) {
      if (dominates(other, label)) return false;
    }
    std::erase_if(labels, [&](const Label& other) { return dominates(label, other); });
    labels.push_back(std::move(label));
    return true;
  }

  [[nodiscard]] bool dominates(const Label& a, const Label& b) const {
    if (a.state.cost > b.state.cost || a.switches > b.switches) return false;
    if (!is_no_higher(a.state.levels, b.state.levels)) return false;
    // If a variant becomes available later, a time can be too early.
    return earlier_is_better_ ? a.state.time.is_no_later_than(b.state.time)
                              : a.state.time.is_same_as(b.state.time);
  }

  [[nodiscard]] double cost_limit() const {
    double limit = 0;
    for (const Best& best : best_) limit = std::max(limit, best.cost);
    return limit;
  }

  [[nodiscard]] Schedule path_to(std::uint32_t pass) const {
    Schedule schedule;  // Its legs have reverse order.
    bool new_leg = true;
    for (; pass != kNoParent; pass = passes_[pass].parent) {
      if (new_leg) schedule.push_back({passes_[pass].variant, 0});
      schedule.back().passes += 1;
      new_leg = passes_[pass].new_leg;
    }
    std::reverse(schedule.begin(), schedule.end());
    return schedule;
  }

  [[nodiscard]] LabelResult result() const {
    LabelResult found;
    for (const Best& best : best_) {
      found.plans.emplace_back();
      if (best.pass == kNoParent) continue;
      found.plans.back() = BlindPlan{path_to(best.pass), best.probability, best.cost};
    }
    found.labels = labels_;
    found.complete = complete_;
    return found;
  }

  const Mdp& mdp_;
  std::vector<double> omegas_;
  const LabelOptions& options_;
  std::vector<TickWindow> windows_;  // One entry for each variant.
  bool earlier_is_better_ = true;    // True if no variant becomes available later.
  // By tick and variant; filled by keep(), emptied by solve().
  std::vector<std::vector<Labels>> buckets_;
  std::vector<PassNode> passes_;  // Filled by consider().
  std::vector<Best> best_;        // One entry for each omega.
  std::size_t labels_ = 0;
  bool complete_ = true;
};

void check(const Mdp& mdp, const std::vector<MdpStart>& starts) {
  SURETY_CHECK(!mdp.success.empty() && mdp.switches.size() == mdp.variants.size());
  for (const MdpStart& start : starts) {
    SURETY_CHECK(start.variant < mdp.variants.size());
    SURETY_CHECK(start.levels.size() == mdp.levels());
  }
}

}  // namespace

LabelResult label_setting(const Mdp& mdp, const std::vector<MdpStart>& starts,
                          const std::vector<double>& omegas, const LabelOptions& options) {
  check(mdp, starts);
  SURETY_CHECK(!omegas.empty() && std::is_sorted(omegas.begin(), omegas.end()));
  SURETY_CHECK(options.blocks_max > 0);
  if (options.rule == LabelRule::kExact) return LabelSearch(mdp, omegas, options).solve(starts);
  LabelResult all;  // A vertex belongs to one omega.
  for (const double omega : omegas) {
    LabelResult one = LabelSearch(mdp, {omega}, options).solve(starts);
    all.plans.push_back(std::move(one.plans.front()));
    all.labels += one.labels;
    all.complete = all.complete && one.complete;
  }
  return all;
}

}  // namespace surety::plan
