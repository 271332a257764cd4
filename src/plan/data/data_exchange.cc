#include "plan/data/data_exchange.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace surety::plan {
namespace {

// Limit for sets^2 * (labels + sets / 64): about 260 sets, 10 labels.
constexpr std::size_t kExchangeWork = 1'000'000;
// Least relative gain. A smaller gain is a rounding error, and exchanges might repeat forever.
constexpr double kGainMin = 1e-9;

// A subset that sets can be added to and removed from. Samples are whole numbers, so sums are
// exact.
class Choice {
 public:
  Choice(const LabelledSets& sets, const DataCosts& costs)
      : sets_(sets), costs_(costs), is_in_(sets.size()), labels_(sets.labels()) {}

  [[nodiscard]] bool contains(std::size_t set) const { return is_in_[set]; }

  void flip(std::size_t set) {
    is_in_[set] = !is_in_[set];
    const double sign = is_in_[set] ? 1 : -1;
    for (const auto& [label, samples] : sets_.entries(set)) labels_[label] += sign * samples;
    samples_ += sign * sets_.samples(set);
    size_ += is_in_[set] ? 1 : -1;
  }

  [[nodiscard]] double objective() const {
    if (size_ == 0) return std::numeric_limits<double>::infinity();
    double coverage = 0;
    double price = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      coverage += sets_.weight(i) * std::sqrt(std::max(labels_[i], 0.0));
    }
    for (std::size_t set = 0; set < is_in_.size(); ++set) {
      if (is_in_[set]) price += sets_.price(set);
    }
    return price +
           passes_at(costs_, coverage) * (costs_.pass_price + costs_.sample_price * samples_);
  }

 private:
  const LabelledSets& sets_;
  const DataCosts& costs_;
  std::vector<bool> is_in_;     // flip() changes this and the members below.
  std::vector<double> labels_;  // Number of samples of each label.
  double samples_ = 0;
  int size_ = 0;
};

// One round over all single changes and exchanges. Returns whether any of them helped.
bool improve(std::size_t sets, Choice& choice, double& objective) {
  bool better = false;
  const auto keep = [&] {
    const double now = choice.objective();
    if (now >= objective * (1 - kGainMin)) return false;
    objective = now;
    return better = true;
  };
  for (std::size_t a = 0; a < sets; ++a) {
    choice.flip(a);
    bool kept = keep();
    for (std::size_t b = a + 1; b < sets && !kept; ++b) {
      if (choice.contains(a) == choice.contains(b)) {  // flip(a) was called before.
        choice.flip(b);
        kept = keep();
        if (!kept) choice.flip(b);
      }
    }
    if (!kept) choice.flip(a);
  }
  return better;
}

}  // namespace

void exchange_sets(const LabelledSets& sets, const DataCosts& costs, DataChain& chain) {
  const std::size_t count = sets.size();
  if (count * count * (sets.labels() + count / 64) > kExchangeWork) return;
  Choice choice(sets, costs);
  for (std::size_t i = 0; i < chain.best; ++i) choice.flip(chain.order[i]);
  while (improve(count, choice, chain.objective)) {
  }
  const auto end = std::stable_partition(chain.order.begin(), chain.order.end(),
                                         [&](std::size_t set) { return choice.contains(set); });
  chain.best = static_cast<std::size_t>(end - chain.order.begin());
}

}  // namespace surety::plan
