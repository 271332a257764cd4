#include "plan/data_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/check.h"

namespace surety::plan {
namespace {

// Samples by label; sets without a histogram get a label each, below all real ones.
using Labels = std::map<std::string, double>;

Labels labels_of(const DataSet& set) {
  Labels labels;
  if (set.label_histogram.empty()) labels["set " + set.name] = static_cast<double>(set.samples);
  for (const auto& [label, count] : set.label_histogram) {
    labels[fmt::format("label {}", label)] = static_cast<double>(count);
  }
  return labels;
}

Labels sum_of(const std::vector<DataSet>& data, const std::vector<std::size_t>& chosen) {
  Labels sum;
  for (const std::size_t i : chosen) {
    for (const auto& [label, count] : labels_of(data[i])) sum[label] += count;
  }
  return sum;
}

double total_of(const Labels& labels) {
  double total = 0;
  for (const auto& [label, count] : labels) total += count;
  return total;
}

double coverage(const Labels& kept, const Labels& all) {
  const double total = total_of(all);
  double sum = 0;
  for (const auto& [label, count] : kept) {
    const double there = all.at(label);
    if (there > 0) sum += there / total * std::sqrt(count / there);
  }
  return sum;
}

double distance(const Labels& kept, const Labels& all) {
  const double kept_total = total_of(kept), all_total = total_of(all);
  if (kept_total <= 0 || all_total <= 0) return 0;
  double sum = 0;
  for (const auto& [label, count] : all) {
    const auto it = kept.find(label);
    const double mine = it == kept.end() ? 0 : it->second / kept_total;
    sum += std::abs(mine - count / all_total);
  }
  return sum / 2;
}

std::vector<std::size_t> everything(const std::vector<DataSet>& data) {
  std::vector<std::size_t> all(data.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

DataChoice make_choice(const std::vector<DataSet>& data, std::vector<std::size_t> chosen,
                       double samples_all) {
  DataChoice choice;
  double samples = 0;
  for (const std::size_t i : chosen) {
    choice.names.push_back(data[i].name);
    choice.price += data[i].price;
    samples += static_cast<double>(data[i].samples);
  }
  std::sort(choice.names.begin(), choice.names.end());
  choice.fraction = samples_all > 0 ? std::min(samples / samples_all, 1.0) : 1;
  if (chosen.size() == data.size()) choice.fraction = 1;
  // Sites without histograms cannot be compared: their labels are unknown, not different.
  const bool known = std::all_of(data.begin(), data.end(),
                                 [](const DataSet& set) { return !set.label_histogram.empty(); });
  if (known && !data.empty()) {
    choice.label_distance = distance(sum_of(data, chosen), sum_of(data, everything(data)));
  }
  return choice;
}

}  // namespace

std::vector<std::size_t> density_chain(const std::vector<DataSet>& data, double price_per_sample) {
  const Labels all = sum_of(data, everything(data));
  std::vector<std::size_t> left = everything(data), chain;
  std::sort(left.begin(), left.end(),
            [&](std::size_t a, std::size_t b) { return data[a].name < data[b].name; });
  double price_sum = 0;
  for (const DataSet& set : data) price_sum += set.price;
  const bool free = price_per_sample <= 0 && price_sum <= 0;
  const auto cost = [&](const DataSet& set) {
    const double samples = static_cast<double>(set.samples);
    return std::max(free ? samples : set.price + samples * price_per_sample, 1e-12);
  };
  while (!left.empty()) {
    const double now = coverage(sum_of(data, chain), all);
    std::size_t best = 0;
    double best_density = -1;
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::vector<std::size_t> with = chain;
      with.push_back(left[i]);
      const double density = (coverage(sum_of(data, with), all) - now) / cost(data[left[i]]);
      if (density > best_density) best = i, best_density = density;
    }
    chain.push_back(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return chain;
}

std::vector<DataChoice> data_choices(const std::vector<DataSet>& data,
                                     const std::vector<double>& fractions,
                                     double price_per_sample) {
  SURETY_CHECK(!fractions.empty());
  double samples_all = 0;
  for (const DataSet& set : data) samples_all += static_cast<double>(set.samples);
  const std::vector<std::size_t> chain = density_chain(data, price_per_sample);
  std::vector<DataChoice> choices;
  for (const double fraction : fractions) {
    if (fraction == fractions.back()) break;
    std::vector<std::size_t> prefix;
    double samples = 0;
    for (const std::size_t i : chain) {
      if (samples >= fraction * samples_all) break;
      prefix.push_back(i);
      samples += static_cast<double>(data[i].samples);
    }
    if (prefix.size() == chain.size()) continue;  // All data anyway: the last choice.
    DataChoice choice = make_choice(data, prefix, samples_all);
    choice.profiled_fraction = fraction;
    choice.reason = fmt::format(
        "{} of {} data sets hold {:.0f} % of the samples; planned with the curves measured on "
        "{:.0f} %",
        prefix.size(), data.size(), 100 * choice.fraction, 100 * fraction);
    if (!choices.empty() && choices.back().names == choice.names) choices.pop_back();
    choices.push_back(std::move(choice));
  }
  DataChoice whole = make_choice(data, everything(data), samples_all);
  whole.profiled_fraction = fractions.back();
  whole.reason =
      fractions.size() > 1
          ? "all data"
          : "all data: nothing may be dropped, because learning on less was not profiled";
  choices.push_back(std::move(whole));
  return choices;
}

}  // namespace surety::plan
