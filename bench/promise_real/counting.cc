#include "counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/statistics.h"

namespace surety::bench {
namespace {

constexpr double kSlowEndS = 5;
constexpr double kOneSided = 0.95;  // Confidence of each end of an interval of 90 %.

void count_into(Share& share, bool counts) {
  ++share.of;
  share.count += counts ? 1 : 0;
}

}  // namespace

double Share::value() const { return of == 0 ? 0 : static_cast<double>(count) / of; }
double Share::low() const { return of == 0 ? 0 : surety::binomial_lower(count, of, kOneSided); }
double Share::high() const {
  return of == 0 ? 1 : 1 - surety::binomial_lower(of - count, of, kOneSided);
}

std::string Share::text() const {
  if (of == 0) return "none";
  return fmt::format("{} of {} ({:.2f}; {:.2f} to {:.2f})", count, of, value(), low(), high());
}

Count count_of(const std::vector<Record>& records) {
  Count count;
  for (const Record& record : records) {
    ++count.runs;
    if (record.certified && record.wall_s - record.run_s > kSlowEndS) ++count.slow_ends;
    if (record.verdict == "infeasible") {
      ++count.refused;
      continue;
    }
    const bool kept = record.verdict == "kept";
    count_into(count.kept, kept);
    count_into(count.late, !kept);
    if (is_loaded(record.key)) count_into(count.kept_loaded, kept);
    count_into(record.stated_s ? count.kept_stated : count.kept_unstated, kept);
    if (kept) continue;
    ++count.missed;
    if (record.verdict != "missed") ++count.broken;
  }
  return count;
}

std::vector<Record> select(const std::vector<Record>& all, const std::string& job,
                           double deadline_s, const std::string& way, double probability) {
  std::vector<Record> some;
  for (const Record& record : all) {
    const RunKey& key = record.key;
    if (key.job != job || key.way != way || key.deadline_s != deadline_s) continue;
    if (probability <= 0 || key.probability == probability) some.push_back(record);
  }
  return some;
}

Spread spread_of(std::vector<double> values) {
  SURETY_CHECK(!values.empty());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {
      .median = surety::median(values), .mean = surety::mean(values), .low = *low, .high = *high};
}

std::vector<double> costs_of(const std::vector<Record>& records) {
  std::vector<double> costs;
  for (const Record& record : records) costs.push_back(record.cost);
  return costs;
}

double cost_of_kept(const std::vector<Record>& records) {
  double spent = 0;
  double kept = 0;
  for (const Record& record : records) {
    spent += record.cost;
    kept += record.verdict == "kept" ? 1 : 0;
  }
  return kept > 0 ? spent / kept : std::numeric_limits<double>::infinity();
}

std::vector<Record> beside(const std::vector<Record>& records, const std::vector<Record>& others) {
  std::vector<Record> some;
  for (const Record& record : records) {
    const bool there = std::ranges::any_of(
        others, [&](const Record& other) { return other.key.index == record.key.index; });
    if (there) some.push_back(record);
  }
  return some;
}

std::vector<double> paired_costs(const std::vector<Record>& records,
                                 const std::vector<Record>& others) {
  std::vector<double> ratios;
  for (const Record& record : records) {
    for (const Record& other : others) {
      const bool same = seed_of(other.key) == seed_of(record.key);
      if (same && other.cost > 0) ratios.push_back(record.cost / other.cost);
    }
  }
  return ratios;
}

Surprise surprise_of(const std::vector<Record>& records) {
  std::vector<double> surprises;
  for (const Record& record : records) {
    if (!record.deciding || !record.deciding_se || !record.certified || !record.certified_se) {
      continue;
    }
    const double se = std::hypot(*record.deciding_se, *record.certified_se);
    if (se > 0) surprises.push_back((*record.certified - *record.deciding) / se);
  }
  if (surprises.empty()) return {};
  return {.runs = static_cast<std::uint32_t>(surprises.size()),
          .mean = surety::mean(surprises),
          .sd = std::sqrt(surety::variance(surprises))};
}

std::string cheapest(const std::vector<Record>& all, const std::string& job, double deadline_s,
                     const std::vector<std::string>& ways) {
  std::string best;
  double least = 0;
  for (const std::string& way : ways) {
    const std::vector<double> costs = costs_of(select(all, job, deadline_s, way));
    if (costs.empty()) continue;
    const double median = surety::median(costs);
    if (!best.empty() && median >= least) continue;
    best = way;
    least = median;
  }
  return best;
}

}  // namespace surety::bench
