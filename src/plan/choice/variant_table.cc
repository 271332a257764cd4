#include "plan/choice/variant_table.h"

#include <algorithm>
#include <cmath>

namespace surety::plan {
namespace {

std::uint32_t family_size(const PoolSpec& spec) {
  return static_cast<std::uint32_t>(spec.versions.size()) / spec.families;
}

std::uint32_t family_of(const PoolSpec& spec, std::uint32_t version) {
  return version / family_size(spec);
}

std::uint32_t place_in_family(const PoolSpec& spec, std::uint32_t version) {
  return version % family_size(spec);
}

std::vector<TimeGuess> guesses(const PoolSpec& spec) {
  std::vector<TimeGuess> out;
  for (const PoolVariantSpec& variant : spec.variants) {
    out.push_back({variant.relative_time, place_in_family(spec, variant.version), variant.nodes});
  }
  return out;
}

}  // namespace

VariantTable::VariantTable(const PoolSpec& spec) : spec_(spec), times_(guesses(spec)) {}

void VariantTable::observe(std::uint32_t variant, double seconds,
                           std::optional<std::uint32_t> workers) {
  if (seconds > 0) times_.observe(variant, seconds);
  if (workers) workers_ = workers;
}

double VariantTable::workers_log_of(std::uint32_t workers) const {
  return std::log(static_cast<double>(workers) / std::max(1u, spec_.reference_workers));
}

double VariantTable::workers_log(std::uint32_t variant) const {
  return workers_log_of(
      spec_.variants[variant].workers.value_or(workers_.value_or(spec_.reference_workers)));
}

double VariantTable::most_workers_log() const {
  double most = workers_log(0);
  for (std::uint32_t v = 1; v < size(); ++v) most = std::max(most, workers_log(v));
  return most;
}

double VariantTable::pass_s(std::uint32_t variant) const {
  return std::exp(times_.of(variant).log_s);
}

double VariantTable::pass_cost(std::uint32_t variant) const {
  const double price = spec_.variants[variant].price_per_s;
  return pass_s(variant) * (price > 0 ? price : 1);
}

bool VariantTable::fits(std::uint32_t variant, const PoolMoment& now) const {
  const double seconds = pass_s(variant);
  return seconds <= now.seconds_left &&
         (!now.money_left || seconds * spec_.variants[variant].price_per_s <= *now.money_left);
}

std::vector<PoolVariant> VariantTable::variants() const {
  std::vector<PoolVariant> out;
  const bool free =
      std::ranges::all_of(spec_.variants, [](const auto& v) { return v.price_per_s <= 0; });
  for (std::uint32_t v = 0; v < size(); ++v) {
    const PoolVariantSpec& spec = spec_.variants[v];
    out.push_back({.version = spec.version,
                   .family = family_of(spec_, spec.version),
                   .time = times_.of(v),
                   .price_per_s = free ? 1 : spec.price_per_s,
                   .start_s = times_.knows_any() ? spec.start_s : 0,
                   .workers_log = workers_log(v)});
  }
  return out;
}

}  // namespace surety::plan
