#include "plan/data/labelled_sets.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::plan {
namespace {

constexpr double kCoverageMin = 1e-6;

}  // namespace

LabelledSets::LabelledSets(const std::vector<double>& label_samples) {
  double total = 0;
  for (const double samples : label_samples) total += samples;
  for (const double samples : label_samples) {
    weights_.push_back(total > 0 ? std::sqrt(samples) / total : 0);
  }
}

void LabelledSets::add(std::span<const LabelSamples> labels, double samples, double price) {
  SURETY_CHECK(samples >= 0 && price >= 0);
  for (const auto& [label, count] : labels) SURETY_CHECK(label < weights_.size() && count >= 0);
  entries_.insert(entries_.end(), labels.begin(), labels.end());
  first_.push_back(entries_.size());
  samples_.push_back(samples);
  prices_.push_back(price);
}

double passes_at(const DataCosts& costs, double coverage) {
  return costs.passes * std::pow(std::max(coverage, kCoverageMin), -costs.exponent);
}

}  // namespace surety::plan
