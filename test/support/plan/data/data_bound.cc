#include "test/support/plan/data/data_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGapEnough = 0.003;     // Relative; no plan depends on a smaller gap.
constexpr std::size_t kRegionsMin = 16;  // Least number of regions while the gap is too large.
// Limit for entries read: allows more regions if they are small.
constexpr std::size_t kWorkMax = 400'000;
constexpr std::size_t kSteps = 32;  // Numbers of passes that are distinguished in one region.
constexpr double kRatioMax = 1.1;   // Ratio of passes in a region; below it, sets are branched on.
// Largest number of sets for which sets are branched on; with more, no single set matters for the
// bound.
constexpr std::size_t kLumpyMax = 1000;
// Share of a label's samples in a tangent point; keeps slopes finite.
constexpr double kShareMin = 0.01;
constexpr double kBoundRounding = 1e-9;  // Relative error allowed in sums.

enum class Decided : std::uint8_t { kNo, kIn, kOut };

// The subsets that need a number of passes in this range and agree with the decisions.
struct Region {
  double bound = 0;  // Lower bound for the objective of each subset.
  double passes_low = 0;
  double passes_high = 0;
  std::vector<Decided> decided;  // One entry for each set; empty means that no set is decided.
  std::optional<std::size_t> undecided;  // The set that the bound would divide.

  // The least bound is at the top.
  bool operator<(const Region& other) const { return bound > other.bound; }
};

// A set as an item of the fractional knapsack.
struct Piece {
  double cost_per_gain = 0;
  double gain = 0;
  double cost = 0;
  std::size_t set = 0;
  bool operator<(const Piece& other) const { return cost_per_gain < other.cost_per_gain; }
};

// The least cost of fractions of pieces that together gain a need. REQUIRES: needs in ascending
// order.
class Cover {
 public:
  // Cost of the sets that are in the subset, and an upper bound for their gain.
  double cost_in = 0;
  double gain_in = 0;

  void add(std::size_t set, double gain, double cost) {
    if (gain > 0) pieces_.push_back({cost / gain, gain, cost, set});
  }
  void sort() { std::sort(pieces_.begin(), pieces_.end()); }

  // Infinite if all pieces together gain less than `need`.
  double cost(double need) {
    need -= gain_in;
    while (next_ < pieces_.size() && gain_ + pieces_[next_].gain < need) {
      gain_ += pieces_[next_].gain;
      cost_ += pieces_[next_].cost;
      next_ += 1;
    }
    if (need <= gain_) return cost_in + cost_;
    if (next_ == pieces_.size()) {
      return need - gain_ <= kBoundRounding * (gain_in + gain_) ? cost_in + cost_ : kInfinity;
    }
    return cost_in + cost_ + (need - gain_) / pieces_[next_].gain * pieces_[next_].cost;
  }

  // The set of which the last cost() took a part, or the next set.
  [[nodiscard]] std::optional<std::size_t> cut() const {
    if (pieces_.empty()) return std::nullopt;
    return pieces_[std::min(next_, pieces_.size() - 1)].set;
  }

 private:
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;  // The first piece that is not completely in; advanced by cost().
  double gain_ = 0;
  double cost_ = 0;
};

class Bounds {
 public:
  Bounds(const LabelledSets& sets, const DataCosts& costs, const std::vector<std::size_t>& order)
      : sets_(sets), costs_(costs), order_(order) {
    all_ = labels_of({}, true);
  }

  [[nodiscard]] Region everything() const {
    double least = kInfinity;  // No subset covers less than one of its sets.
    for (const std::size_t set : order_) least = std::min(least, alone(set));
    Region region;
    region.passes_high = passes_at(costs_, least);
    return bounded(std::move(region));
  }

  [[nodiscard]] std::pair<Region, Region> halves(const Region& region) const {
    Region low = region;
    Region high = region;
    const double ratio = region.passes_high / region.passes_low;
    if (ratio > kRatioMax || sets_.size() > kLumpyMax) {
      // A wide region mostly contains small subsets, which are rarely the best. So the split is
      // near its low end.
      low.passes_high = high.passes_low = region.passes_low * std::min(std::sqrt(ratio), 1.5);
    } else {
      low.decided.resize(sets_.size());
      high.decided.resize(sets_.size());
      low.decided[*region.undecided] = Decided::kIn;
      high.decided[*region.undecided] = Decided::kOut;
    }
    return {bounded(std::move(low)), bounded(std::move(high))};
  }

 private:
  using Labels = std::vector<double>;  // Samples by label.

  [[nodiscard]] Region bounded(Region region) const;
  [[nodiscard]] bool narrowed(Region& region) const;
  [[nodiscard]] Labels tangent_point(const Region& region, double needed) const;
  [[nodiscard]] Cover tangent_cover(const Region& region) const;
  [[nodiscard]] Cover marginal_cover(const Region& region) const;
  void fill(const Region& region, Cover& cover, const auto& gain_of) const;

  [[nodiscard]] static Decided decided(const Region& region, std::size_t set) {
    return region.decided.empty() ? Decided::kNo : region.decided[set];
  }

  [[nodiscard]] Labels labels_of(const Region& region, bool with_undecided) const {
    if (region.decided.empty() && with_undecided && !all_.empty()) return all_;
    Labels labels(sets_.labels());
    if (region.decided.empty() && !with_undecided) return labels;
    for (const std::size_t set : order_) {
      const Decided how = decided(region, set);
      if (how == Decided::kIn || (with_undecided && how == Decided::kNo)) add(set, labels);
    }
    return labels;
  }

  void add(std::size_t set, Labels& labels) const {
    for (const auto& [label, samples] : sets_.entries(set)) labels[label] += samples;
  }

  [[nodiscard]] double coverage(const Labels& labels) const {
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) sum += sets_.weight(i) * std::sqrt(labels[i]);
    return sum;
  }

  [[nodiscard]] double alone(std::size_t set) const {
    double sum = 0;
    for (const auto& [label, samples] : sets_.entries(set)) {
      sum += sets_.weight(label) * std::sqrt(samples);
    }
    return sum;
  }

  // The coverage at which this many passes are needed, rounded down to be safe.
  [[nodiscard]] double coverage_at(double passes) const {
    return std::pow(passes / costs_.passes, -1 / costs_.exponent) * (1 - kBoundRounding);
  }

  const LabelledSets& sets_;
  const DataCosts& costs_;
  const std::vector<std::size_t>& order_;
  Labels all_;  // Samples of all sets together.
};

// Subsets that need K passes in [passes_low, passes_high] = [a, b] cost K (pass_price + price / K +
// sample_price n). This is at least K (pass_price + (price + b sample_price n) / b). So the cover
// uses b, and K is known up to one step.
Region Bounds::bounded(Region region) const {
  region.bound = kInfinity;
  if (!narrowed(region)) return region;
  Cover tangent = tangent_cover(region);
  std::optional<Cover> marginal;
  if (sets_.size() <= kLumpyMax) marginal = marginal_cover(region);
  const double ratio = std::pow(region.passes_low / region.passes_high, 1.0 / kSteps);
  double high = region.passes_high;
  for (std::size_t step = 0; step < kSteps; ++step) {
    const double needed = coverage_at(high);
    const double low = std::max(high * ratio * (1 - kBoundRounding), region.passes_low);
    const double cost = std::max(tangent.cost(needed), marginal ? marginal->cost(needed) : 0);
    const double bound = low * (costs_.pass_price + cost / region.passes_high);
    if (bound < region.bound) {
      region.bound = bound;
      region.undecided = tangent.cut();
    }
    high *= ratio;
  }
  return region;
}

// Narrows the region to the passes that are possible. False if there are none.
bool Bounds::narrowed(Region& region) const {
  const double least = coverage(labels_of(region, false));
  const double most = coverage(labels_of(region, true));
  region.passes_low = std::max(region.passes_low, passes_at(costs_, most) * (1 - kBoundRounding));
  if (least > 0) {
    region.passes_high =
        std::min(region.passes_high, passes_at(costs_, least) * (1 + kBoundRounding));
  }
  return region.passes_low <= region.passes_high;
}

// Any point gives a valid bound. The bound is tight at the samples of the best subset, so the point
// is about the shortest prefix of the chain that covers `needed`.
Bounds::Labels Bounds::tangent_point(const Region& region, double needed) const {
  Labels point = labels_of(region, false);
  double covered = coverage(point);
  for (std::size_t i = 0; i < order_.size() && covered < needed; ++i) {
    if (decided(region, order_[i]) != Decided::kNo) continue;
    for (const auto& [label, samples] : sets_.entries(order_[i])) {
      const double before = point[label];
      point[label] += samples;
      covered += sets_.weight(label) * (std::sqrt(point[label]) - std::sqrt(before));
    }
  }
  const Labels most = labels_of(region, true);
  for (std::size_t i = 0; i < point.size(); ++i) {
    point[i] = std::max(point[i], kShareMin * most[i]);
  }
  return point;
}

void Bounds::fill(const Region& region, Cover& cover, const auto& gain_of) const {
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    const Decided how = decided(region, set);
    if (how == Decided::kOut) continue;
    const double cost =
        sets_.price(set) + region.passes_high * costs_.sample_price * sets_.samples(set);
    if (how == Decided::kIn) {
      cover.cost_in += cost;
    } else {
      cover.add(set, gain_of(set), cost);
    }
  }
  cover.sort();
}

// f(D) <= f(m) / 2 + the slopes at m times the samples of D.
Cover Bounds::tangent_cover(const Region& region) const {
  const Labels point =
      tangent_point(region, coverage_at((region.passes_low + region.passes_high) / 2));
  Labels slopes(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] > 0) slopes[i] = sets_.weight(i) / (2 * std::sqrt(point[i]));
  }
  Cover cover;
  cover.gain_in = coverage(point) / 2;
  const Labels in = labels_of(region, false);
  for (std::size_t i = 0; i < in.size(); ++i) cover.gain_in += slopes[i] * in[i];
  fill(region, cover, [&](std::size_t set) {
    double gain = 0;
    for (const auto& [label, samples] : sets_.entries(set)) gain += slopes[label] * samples;
    return gain;
  });
  return cover;
}

// f(D) <= f(in) + the gains of the other sets, each added alone.
Cover Bounds::marginal_cover(const Region& region) const {
  const Labels in = labels_of(region, false);
  Cover cover;
  cover.gain_in = coverage(in);
  fill(region, cover, [&](std::size_t set) {
    double gain = 0;
    for (const auto& [label, samples] : sets_.entries(set)) {
      gain += sets_.weight(label) * (std::sqrt(in[label] + samples) - std::sqrt(in[label]));
    }
    return gain;
  });
  return cover;
}

std::size_t work_of(const LabelledSets& sets) {
  std::size_t entries = sets.size() + 4 * kSteps + sets.labels();
  for (std::size_t i = 0; i < sets.size(); ++i) entries += sets.entries(i).size();
  return entries;
}

}  // namespace

double lower_bound(const LabelledSets& sets, const DataCosts& costs, const DataChain& chain) {
  SURETY_CHECK(chain.order.size() == sets.size() && sets.size() > 0);
  const Bounds bounds(sets, costs, chain.order);
  const double enough = chain.objective * (1 - kGapEnough);
  const std::size_t regions_max = std::max(kRegionsMin, kWorkMax / work_of(sets));
  std::priority_queue<Region> open;
  open.push(bounds.everything());
  for (std::size_t regions = 1; regions < regions_max; regions += 2) {
    const Region& worst = open.top();
    if (worst.bound >= enough || !worst.undecided) break;
    auto [low, high] = bounds.halves(worst);
    open.pop();
    open.push(std::move(low));
    open.push(std::move(high));
  }
  return std::min(open.top().bound * (1 - kBoundRounding), chain.objective);
}

double gap(const LabelledSets& sets, const DataCosts& costs, const DataChain& chain) {
  return chain.objective > 0 ? 1 - lower_bound(sets, costs, chain) / chain.objective : 0;
}

}  // namespace surety::plan
