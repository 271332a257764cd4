#include "plan/schedules/open_loop.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/check.h"
#include "plan/decision/grid.h"
#include "plan/decision/kernel.h"

namespace surety::plan {
namespace {

// Some passes of a variant. Short passes are combined, so that rounding to ticks stays small.
struct Edge {
  std::uint32_t passes = 1;
  std::uint32_t ticks = 1;
  double cost = 0;
};

struct OpenLoopLabel {
  double cost = 0;
  std::vector<double> pmf;
  Schedule path;
};

// Variant, and class of the omega-quantile.
using VertexKey = std::tuple<std::size_t, std::size_t>;
using Bucket = std::map<VertexKey, OpenLoopLabel>;

class LabelSetting {
 public:
  LabelSetting(const Setting& setting, const OpenLoopOptions& options)
      : setting_(setting),
        options_(options),
        grid_(make_grid(setting, options.levels)),
        tick_s_(tick_seconds()) {
    if (grid_.empty()) return;
    for (const Variant& variant : setting.variants) edges_.push_back(make_edge(variant));
    for (std::size_t v = 0; v < setting.variants.size(); ++v) {
      const std::size_t version = setting.variants[v].version;
      passes_.push_back(
          pass_kernel(grid_, setting, version, edges_[v].passes, passes_expected(version)));
    }
  }

  std::vector<Schedule> solve() {
    if (grid_.empty()) return {};
    const double usable_s = std::max(setting_.deadline_s - setting_.certify_s, 0.0);
    const auto ticks = static_cast<std::uint32_t>(usable_s / tick_s_);
    buckets_.assign(ticks + 1, {});
    start();
    for (std::uint32_t tick = 0; tick <= ticks; ++tick) {
      for (auto& [key, label] : buckets_[tick]) extend(tick, std::get<0>(key), label);
      buckets_[tick].clear();
    }
    std::vector<Schedule> schedules;
    for (const auto& [key, found] : found_) schedules.push_back(found.path);
    std::sort(schedules.begin(), schedules.end());
    schedules.erase(std::unique(schedules.begin(), schedules.end()), schedules.end());
    return schedules;
  }

 private:
  [[nodiscard]] double pass_s(const Variant& variant) const {
    return setting_.laws.versions[variant.version].time.mean_s(variant.speed);
  }

  // The tick is the duration of the shortest pass, unless this gives too many ticks.
  [[nodiscard]] double tick_seconds() const {
    double shortest = setting_.deadline_s;
    for (const Variant& variant : setting_.variants) {
      shortest = std::min(shortest, pass_s(variant));
    }
    return std::max(shortest, setting_.deadline_s / options_.ticks_max);
  }

  [[nodiscard]] Edge make_edge(const Variant& variant) const {
    const double seconds = pass_s(variant);
    // Combined passes of at least two ticks lose at most a third of them by rounding up.
    const double passes = seconds >= tick_s_ ? 1
                                             : std::min<double>(std::ceil(2 * tick_s_ / seconds),
                                                                setting_.passes_max);
    Edge edge;
    edge.passes = static_cast<std::uint32_t>(passes);
    edge.ticks = static_cast<std::uint32_t>(std::ceil(passes * seconds / tick_s_ - 1e-9));
    edge.cost = passes * seconds * variant.price_per_s;
    return edge;
  }

  [[nodiscard]] double passes_expected(std::size_t version) const {
    // A limit for versions that never reach the target.
    static constexpr double kMost = 60;
    const VersionLaw& law = setting_.laws.versions[version];
    return std::clamp(law.curve.progress(setting_.stop_metric) / law.rate, 1.0, kMost);
  }

  void start() {
    for (std::size_t v = 0; v < setting_.variants.size(); ++v) {
      const std::size_t version = setting_.variants[v].version;
      run_edge(0, v, {setting_.data_price, start_pmf(grid_, setting_, version), {}});
    }
  }

  void extend(std::uint32_t tick, std::size_t v, const OpenLoopLabel& label) {
    if (label.path.back().passes < setting_.passes_max) run_edge(tick, v, label);
    for (std::size_t w = 0; w < setting_.variants.size(); ++w) {
      if (setting_.rank_of(w) < setting_.rank_of(v)) {
        switch_edge(tick, v, w, label);
      }
    }
  }

  void run_edge(std::uint32_t tick, std::size_t v, const OpenLoopLabel& label) {
    const Edge& edge = edges_[v];
    if (tick + edge.ticks >= buckets_.size()) return;
    OpenLoopLabel next;
    next.cost = label.cost + (1 - label.pmf[0]) * edge.cost;
    next.pmf = passes_[v].apply(label.pmf);
    next.path = label.path;
    if (next.path.empty() || next.path.back().variant != v) next.path.push_back({v, 0});
    next.path.back().passes += edge.passes;
    keep(tick + edge.ticks, v, std::move(next));
  }

  void switch_edge(std::uint32_t tick, std::size_t v, std::size_t w, const OpenLoopLabel& label) {
    const std::size_t from = setting_.variants[v].version;
    const std::size_t to = setting_.variants[w].version;
    const double seconds = setting_.laws.switches[setting_.rank_of(v)][setting_.rank_of(w)].seconds;
    const auto ticks = static_cast<std::uint32_t>(
        std::min(std::ceil(seconds / tick_s_), static_cast<double>(buckets_.size())));
    if (tick + ticks + edges_[w].ticks >= buckets_.size()) return;
    OpenLoopLabel after = label;
    after.cost += (1 - label.pmf[0]) * seconds * setting_.variants[w].price_per_s;
    after.pmf = jump(from, to).apply(label.pmf);
    run_edge(tick + ticks, w, after);
  }

  const Kernel& jump(std::size_t from, std::size_t to) {
    const auto key = std::pair(from, to);
    auto it = jumps_.find(key);
    if (it == jumps_.end()) {
      it = jumps_.emplace(key, switch_kernel(grid_, setting_, from, to)).first;
    }
    return it->second;
  }

  // The class of the omega-quantile of the level: the worst 1 - omega of the runs are still above
  // it.
  [[nodiscard]] std::size_t quantile_class(const std::vector<double>& pmf) const {
    double below = 0;
    std::size_t level = 0;
    for (; level + 1 < pmf.size(); ++level) {
      below += pmf[level];
      if (below >= options_.omegas.front()) break;
    }
    return level * options_.quantile_classes / pmf.size();
  }

  void keep(std::uint32_t tick, std::size_t v, OpenLoopLabel label) {
    for (const double omega : options_.omegas) {
      if (label.pmf[0] >= omega) record(omega, label);
    }
    if (label.pmf[0] >= options_.omegas.back() || labels_ >= options_.labels_max) return;
    const VertexKey key(v, quantile_class(label.pmf));
    auto [it, fresh] = buckets_[tick].try_emplace(key);
    if (fresh) labels_ += 1;
    if (fresh || label.cost < it->second.cost) it->second = std::move(label);
  }

  void record(double omega, const OpenLoopLabel& label) {
    std::vector<std::size_t> variants;
    for (const Leg& leg : label.path) variants.push_back(leg.variant);
    auto [it, fresh] = found_.try_emplace({omega, variants});
    if (fresh || label.cost < it->second.cost) {
      it->second = {label.cost, label.path};
    }
  }

  struct Found {
    double cost = 0;
    Schedule path;
  };

  const Setting& setting_;
  const OpenLoopOptions& options_;
  std::vector<double> grid_;
  double tick_s_;
  std::vector<Edge> edges_;                                      // One entry for each variant.
  std::vector<Kernel> passes_;                                   // One entry for each variant.
  std::map<std::pair<std::size_t, std::size_t>, Kernel> jumps_;  // Filled by jump() at first use.
  std::vector<Bucket> buckets_;  // Indexed by tick; filled by keep(), emptied by solve().
  std::map<std::pair<double, std::vector<std::size_t>>, Found> found_;
  std::uint32_t labels_ = 0;
};

}  // namespace

std::vector<Schedule> open_loop_schedules(const Setting& setting, const OpenLoopOptions& options) {
  SURETY_CHECK(!options.omegas.empty() && !setting.variants.empty());
  return LabelSetting(setting, options).solve();
}

}  // namespace surety::plan
