#include "plan/data/data_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr double kSumRounding = 1e-9;  // Relative error of sums of samples.
// Prefixes whose samples differ by less than this factor are not both planned.
constexpr double kAlike = 1.1;

// Data sets sorted by name, with labels as dense indices, so that the result does not depend on the
// order of the input.
struct Catalogue {
  std::vector<std::size_t> by_name;  // Indices in the input.
  LabelledSets sets{{}};
  bool labels_known = true;  // Whether each set has a histogram.
};

std::vector<std::size_t> ranked_by_name(const std::vector<DataSet>& data) {
  std::vector<std::size_t> ranked(data.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  std::sort(ranked.begin(), ranked.end(),
            [&](std::size_t a, std::size_t b) { return data[a].name < data[b].name; });
  return ranked;
}

Catalogue make_catalogue(const std::vector<DataSet>& data) {
  Catalogue catalogue;
  catalogue.by_name = ranked_by_name(data);
  std::map<int, std::uint32_t> index_of;
  std::vector<double> totals;
  std::vector<LabelSamples> entries;
  std::vector<std::size_t> ends;
  for (const std::size_t i : catalogue.by_name) {
    const DataSet& set = data[i];
    if (set.label_histogram.empty()) {
      entries.push_back({static_cast<std::uint32_t>(totals.size()), 0});
      entries.back().samples = static_cast<double>(set.samples);
      totals.push_back(0);
      catalogue.labels_known = false;
    }
    for (const auto& [label, count] : set.label_histogram) {
      const auto next = static_cast<std::uint32_t>(totals.size());
      const auto [it, fresh] = index_of.try_emplace(label, next);
      if (fresh) totals.push_back(0);
      entries.push_back({it->second, static_cast<double>(count)});
    }
    ends.push_back(entries.size());
  }
  for (const auto& [label, samples] : entries) totals[label] += samples;
  catalogue.sets = LabelledSets(totals);
  std::size_t begin = 0;
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const DataSet& set = data[catalogue.by_name[rank]];
    catalogue.sets.add(std::span(entries).subspan(begin, ends[rank] - begin),
                       static_cast<double>(set.samples), set.price);
    begin = ends[rank];
  }
  return catalogue;
}

std::vector<double> label_samples(const LabelledSets& sets, std::span<const std::size_t> chosen) {
  std::vector<double> samples(sets.labels());
  for (const std::size_t set : chosen) {
    for (const auto& [label, count] : sets.entries(set)) samples[label] += count;
  }
  return samples;
}

double total_variation(const std::vector<double>& kept, const std::vector<double>& all) {
  const double kept_total = std::accumulate(kept.begin(), kept.end(), 0.0);
  const double all_total = std::accumulate(all.begin(), all.end(), 0.0);
  if (kept_total <= 0 || all_total <= 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += std::abs(kept[i] / kept_total - all[i] / all_total);
  }
  return sum / 2;
}

// The prefixes of the chain that must be offered, and those that may be offered.
class Prefixes {
 public:
  Prefixes(const DataChain& chain, const LabelledSets& sets) : chain_(chain) {
    samples_.push_back(0);
    for (const std::size_t set : chain.order) {
      samples_.push_back(samples_.back() + sets.samples(set));
    }
  }

  [[nodiscard]] double samples(std::size_t length) const { return samples_[length]; }
  [[nodiscard]] double samples_all() const { return samples_.back(); }

  // The shortest prefix with at least this many samples; for 0 samples, all sets.
  [[nodiscard]] std::size_t holding(double samples) const {
    const auto at =
        std::lower_bound(samples_.begin(), samples_.end(), samples * (1 - kSumRounding));
    return samples > 0 ? static_cast<std::size_t>(at - samples_.begin()) : chain_.order.size();
  }

  // Lengths in ascending order, without that of all sets.
  [[nodiscard]] std::set<std::size_t> around_best(double samples_min,
                                                  std::set<std::size_t> lengths) const {
    const double most = std::max(samples_[chain_.worthwhile], samples_min);
    const double best = std::max(samples_[chain_.best], samples_min);
    for (const double factor : {1.0, 2.0, 4.0, 0.5}) {
      const std::size_t length = holding(std::clamp(factor * best, samples_min, most));
      if (lengths.size() + 1 < kChoicesMax && is_new(length, lengths)) lengths.insert(length);
    }
    return lengths;
  }

 private:
  [[nodiscard]] bool is_new(std::size_t length, const std::set<std::size_t>& lengths) const {
    if (samples_[length] >= samples_all()) return false;
    // The set of all worthwhile data differs from all data by its price, not by its samples.
    if (length < chain_.worthwhile && samples_[length] * kAlike > samples_all()) return false;
    return std::ranges::none_of(lengths, [&](std::size_t other) {
      const double a = samples_[length];
      const double b = samples_[other];
      return std::max(a, b) <= kAlike * std::min(a, b);
    });
  }

  const DataChain& chain_;
  std::vector<double> samples_;  // Number of samples of each length.
};

// Makes choices from one catalogue.
class Offers {
 public:
  Offers(const std::vector<DataSet>& data, const Catalogue& catalogue, const DataChain& chain,
         const Prefixes& prefixes)
      : data_(data), catalogue_(catalogue), chain_(chain), prefixes_(prefixes) {}

  [[nodiscard]] DataChoice prefix(std::size_t length) const {
    DataChoice choice;
    const auto chosen = std::span(chain_.order).first(length);
    std::vector<bool> is_in(data_.size());
    for (const std::size_t set : chosen) is_in[set] = true;
    for (std::size_t set = 0; set < is_in.size(); ++set) {
      if (!is_in[set]) continue;
      choice.names.push_back(data_[catalogue_.by_name[set]].name);
      choice.price += catalogue_.sets.price(set);
    }
    const double all = prefixes_.samples_all();
    if (length < data_.size() && all > 0) {
      choice.fraction = std::min(prefixes_.samples(length) / all, 1.0);
    }
    // Sites without histograms cannot be compared, since their labels are unknown.
    if (catalogue_.labels_known && !data_.empty()) {
      choice.label_distance = total_variation(label_samples(catalogue_.sets, chosen),
                                              label_samples(catalogue_.sets, chain_.order));
    }
    return choice;
  }

  // For example "12 of 40 data sets (at 2 of 3 sites) hold 30 % of the samples".
  [[nodiscard]] std::string held(std::size_t length, double fraction) const {
    return fmt::format("{} of {} data sets{} hold {:.0f} % of the samples", length, data_.size(),
                       sites(length), 100 * fraction);
  }

 private:
  [[nodiscard]] std::string sites(std::size_t length) const {
    std::set<std::string_view> kept;
    std::set<std::string_view> all;
    for (std::size_t i = 0; i < chain_.order.size(); ++i) {
      const std::optional<std::string>& site = data_[catalogue_.by_name[chain_.order[i]]].site;
      if (!site) continue;
      all.insert(*site);
      if (i < length) kept.insert(*site);
    }
    if (all.size() < 2) return "";
    return fmt::format(" (at {} of {} sites)", kept.size(), all.size());
  }

  const std::vector<DataSet>& data_;
  const Catalogue& catalogue_;
  const DataChain& chain_;
  const Prefixes& prefixes_;
};

// Sets the laws with which a fraction is planned.
void set_laws(std::span<const double> fractions, bool as_measured, DataChoice& choice) {
  const auto above = std::ranges::upper_bound(fractions, choice.fraction * (1 + kSumRounding));
  SURETY_CHECK(above != fractions.begin());
  choice.profiled_fraction = above[-1];
  if (!as_measured && above != fractions.end()) choice.profiled_above = *above;
}

std::string laws_text(const DataChoice& choice) {
  if (!choice.profiled_above) {
    return fmt::format("; planned with the curves measured on {:.0f} %",
                       100 * choice.profiled_fraction);
  }
  return fmt::format("; planned between the curves measured on {:.0f} % and on {:.0f} %",
                     100 * choice.profiled_fraction, 100 * *choice.profiled_above);
}

}  // namespace

std::vector<DataChoice> data_choices(const std::vector<DataSet>& data,
                                     std::span<const double> fractions, const DataCosts& costs) {
  SURETY_CHECK(!fractions.empty() && std::ranges::is_sorted(fractions));
  const Catalogue catalogue = make_catalogue(data);
  const DataChain chain = density_chain(catalogue.sets, costs);
  const Prefixes prefixes(chain, catalogue.sets);
  std::set<std::size_t> measured;
  for (const double fraction : fractions) {
    const std::size_t length = prefixes.holding(fraction * prefixes.samples_all());
    if (prefixes.samples(length) < prefixes.samples_all()) measured.insert(length);
  }
  const Offers offers(data, catalogue, chain, prefixes);
  std::vector<DataChoice> choices;
  for (const std::size_t length :
       prefixes.around_best(fractions.front() * prefixes.samples_all(), measured)) {
    DataChoice choice = offers.prefix(length);
    set_laws(fractions, measured.contains(length), choice);
    choice.reason = offers.held(length, choice.fraction) + laws_text(choice);
    choices.push_back(std::move(choice));
  }
  DataChoice whole = offers.prefix(data.size());
  whole.profiled_fraction = fractions.back();
  whole.reason = fractions.front() < 1 ? "all data"
                                       : "all data: no data set may be left out, because learning "
                                         "on fewer data was not profiled";
  choices.push_back(std::move(whole));
  return choices;
}

}  // namespace surety::plan
