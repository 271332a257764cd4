#include "plan/data/data_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "plan/data/data_exchange.h"

namespace surety::plan {
namespace {

constexpr double kCostMin = 1e-12;  // A free set has a high but finite density.
// Evaluations for the exact chain. If many sets are similar, all sets are evaluated again for each
// added set. After this number of evaluations, the remaining sets are added by thresholds. Up to
// 400 sets the chain is always exact.
constexpr std::size_t kEvaluationsMax = 80'000;
constexpr double kChainRounding = 1e-9;
constexpr double kThreshold =
    0.8;  // Share of the largest density; nearer to 1 is slower and hardly better.

// The data sets that are in the subset so far.
class Subset {
 public:
  explicit Subset(const LabelledSets& sets)
      : sets_(sets), labels_(sets.labels()), roots_(sets.labels()) {}

  // Coverage that `set` adds. sqrt(a + x) - sqrt(a) is computed as x / (sqrt(a + x) + sqrt(a)),
  // which is exact for small x. Each operation is monotone in a even after rounding, so a gain that
  // is computed later is never larger; the lazy heap relies on this.
  [[nodiscard]] double gain(std::size_t set) const {
    double sum = 0;
    for (const auto& [label, samples] : sets_.entries(set)) {
      if (samples <= 0) continue;
      const double root = std::sqrt(labels_[label] + samples);
      sum += sets_.weight(label) * (samples / (root + roots_[label]));
    }
    return sum;
  }

  void add(std::size_t set) {
    coverage_ += gain(set);
    price_ += sets_.price(set);
    samples_ += sets_.samples(set);
    for (const auto& [label, samples] : sets_.entries(set)) {
      labels_[label] += samples;
      roots_[label] = std::sqrt(labels_[label]);
    }
  }

  [[nodiscard]] double coverage() const { return coverage_; }
  [[nodiscard]] double objective(const DataCosts& costs) const {
    return price_ +
           passes_at(costs, coverage_) * (costs.pass_price + costs.sample_price * samples_);
  }

 private:
  const LabelledSets& sets_;
  // Samples by label and their square roots; changed by add().
  std::vector<double> labels_;
  std::vector<double> roots_;
  double coverage_ = 0;
  double price_ = 0;
  double samples_ = 0;
};

// With these costs a set costs price + passes * sample_price * samples, and not all sets cost 0.
DataCosts with_costs(const LabelledSets& sets, DataCosts costs) {
  double price_sum = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) price_sum += sets.price(i);
  if (costs.sample_price <= 0 && price_sum <= 0) costs.sample_price = 1 / costs.passes;
  return costs;
}

struct Key {
  double density = 0;  // Gain per cost at the time when the chain had `length` sets.
  std::uint32_t set = 0;
  std::uint32_t length = 0;

  // Heap order: the densest set is at the top; ties go to the first set.
  bool operator<(const Key& other) const {
    return density != other.density ? density < other.density : set > other.set;
  }
};

// Densities only fall as the chain grows, so an old density is an upper bound.
class Greedy {
 public:
  Greedy(const LabelledSets& sets, const DataCosts& costs)
      : sets_(sets), sample_cost_(costs.sample_price * costs.passes), chosen_(sets) {
    for (std::size_t i = 0; i < sets.size(); ++i) keys_.push_back(fresh(i));
  }

  // A set that is at the top of the heap with a current density is the densest.
  void add_densest(std::size_t evaluations_max) {
    std::make_heap(keys_.begin(), keys_.end());
    while (!keys_.empty() && evaluations_max > 0) {
      std::pop_heap(keys_.begin(), keys_.end());
      Key& top = keys_.back();
      if (top.length < order_.size()) {
        top = fresh(top.set);
        evaluations_max -= 1;
        if (keys_.size() > 1 && top < keys_.front()) {
          std::push_heap(keys_.begin(), keys_.end());
          continue;
        }
      }
      add(top.set);
      keys_.pop_back();
    }
  }

  // Adds all remaining sets: first those above a threshold, then those above the next lower
  // threshold.
  void add_by_thresholds() {
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.set < b.set; });
    while (!keys_.empty()) {
      const double threshold = kThreshold * std::max_element(keys_.begin(), keys_.end())->density;
      std::erase_if(keys_, [&](Key& key) {
        if (key.density < threshold) return false;
        key = fresh(key.set);
        if (key.density < threshold) return false;
        add(key.set);
        return true;
      });
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

 private:
  [[nodiscard]] Key fresh(std::size_t set) const {
    const double cost = sets_.price(set) + sets_.samples(set) * sample_cost_;
    return {chosen_.gain(set) / std::max(cost, kCostMin), static_cast<std::uint32_t>(set),
            static_cast<std::uint32_t>(order_.size())};
  }

  void add(std::size_t set) {
    order_.push_back(set);
    chosen_.add(set);
  }

  const LabelledSets& sets_;
  double sample_cost_ = 0;
  Subset chosen_;                   // Changed by add().
  std::vector<Key> keys_;           // Sets that are not in the chain.
  std::vector<std::size_t> order_;  // Filled by add().
};

// Finds the prefix with the lowest objective.
void find_best(const LabelledSets& sets, const DataCosts& costs, DataChain& chain) {
  Subset prefix(sets);
  chain.objective = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < chain.order.size(); ++i) {
    prefix.add(chain.order[i]);
    const double value = prefix.objective(costs);
    if (value < chain.objective) chain.objective = value, chain.best = i + 1;
  }
}

// Moves sets that cannot be in an optimum to the end.
void put_last_what_is_too_dear(const LabelledSets& sets, const DataCosts& costs, DataChain& chain) {
  Subset all(sets);
  for (const std::size_t set : chain.order) all.add(set);
  const double passes_min = passes_at(costs, all.coverage());
  const auto is_worthwhile = [&](std::size_t set) {
    const double pass = costs.pass_price + costs.sample_price * sets.samples(set);
    return sets.price(set) + passes_min * pass <= chain.objective * (1 + kChainRounding);
  };
  // The best prefix keeps its position: none of its sets costs more than the whole prefix.
  const auto end = std::stable_partition(chain.order.begin(), chain.order.end(), is_worthwhile);
  chain.worthwhile = static_cast<std::size_t>(end - chain.order.begin());
  SURETY_CHECK(chain.best <= chain.worthwhile);
}

}  // namespace

double objective(const LabelledSets& sets, const DataCosts& costs,
                 std::span<const std::size_t> chosen) {
  Subset subset(sets);
  for (const std::size_t set : chosen) subset.add(set);
  return subset.objective(costs);
}

DataChain density_chain(const LabelledSets& sets, DataCosts costs) {
  SURETY_CHECK(costs.passes > 0 && costs.exponent > 0);
  SURETY_CHECK(costs.sample_price >= 0 && costs.pass_price >= 0);
  DataChain chain;
  if (sets.size() == 0) return chain;
  costs = with_costs(sets, costs);
  Greedy greedy(sets, costs);
  greedy.add_densest(kEvaluationsMax);
  greedy.add_by_thresholds();
  chain.order = greedy.order();
  find_best(sets, costs, chain);
  exchange_sets(sets, costs, chain);
  put_last_what_is_too_dear(sets, costs, chain);
  return chain;
}

}  // namespace surety::plan
