#include "plan/decision/kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

// A piece of a normal distribution, represented by its two ends, or by one point given twice.
struct NormalCell {
  double low = 0;
  double high = 0;
  double chance = 0;
};

// Equal cells, each represented by its median. 15 cells keep the spread within 5 %.
std::vector<NormalCell> equal_cells() {
  static constexpr int kCells = 15;
  std::vector<NormalCell> cells;
  for (int i = 0; i < kCells; ++i) {
    const double middle = normal_quantile((i + 0.5) / kCells);
    cells.push_back({middle, middle, 1.0 / kCells});
  }
  return cells;
}

// Narrow cells, for bounds: moving each to its end shifts the noise by a twentieth of its spread.
std::vector<NormalCell> narrow_cells() {
  static constexpr double kWidth = 0.1;
  static constexpr double kEnd = 6.5;  // Less than 1e-10 lies beyond it.
  std::vector<NormalCell> cells;
  const int count = static_cast<int>(std::lround(2 * kEnd / kWidth));
  for (int i = 0; i < count; ++i) {
    const double low = -kEnd + kWidth * i;
    const double high = low + kWidth;
    const double from = i == 0 ? 0 : normal_probability(low);
    const double to = i + 1 == count ? 1 : normal_probability(high);
    cells.push_back({low, high, to - from});
  }
  return cells;
}

// Adds `chance` at `metric`, rounded to the neighbouring levels.
void add_rounded(const std::vector<double>& grid, double metric, double chance, Rounding rounding,
                 std::vector<double>& pmf) {
  if (metric <= grid.front()) {
    pmf.front() += chance;
    return;
  }
  if (metric >= grid.back()) {
    pmf.back() += chance;
    return;
  }
  const auto above = std::upper_bound(grid.begin(), grid.end(), metric);
  const auto high = static_cast<std::size_t>(above - grid.begin());
  double share = (metric - grid[high - 1]) / (grid[high] - grid[high - 1]);
  if (rounding == Rounding::kUp) share = share > 0 ? 1 : 0;
  if (rounding == Rounding::kDown) share = 0;
  pmf[high - 1] += chance * (1 - share);
  pmf[high] += chance * share;
}

void append(const std::vector<double>& pmf, Kernel& kernel) {
  std::size_t first = 0;
  std::size_t end = pmf.size();
  while (first + 1 < end && pmf[first] == 0) ++first;
  while (end > first + 1 && pmf[end - 1] == 0) --end;
  kernel.add_row(static_cast<std::uint32_t>(first),
                 {pmf.begin() + static_cast<std::ptrdiff_t>(first),
                  pmf.begin() + static_cast<std::ptrdiff_t>(end)});
}

// A kernel whose rows are `outcome(metric, z)` over the normal cells. REQUIRES: monotone in z.
template <typename Outcome>
Kernel make_kernel(const std::vector<double>& grid, Rounding rounding, Outcome&& outcome) {
  static const std::vector<NormalCell> kEqual = equal_cells();
  static const std::vector<NormalCell> kNarrow = narrow_cells();
  Kernel kernel;
  for (std::size_t level = 0; level < grid.size(); ++level) {
    std::vector<double> pmf(grid.size(), 0.0);
    if (level == 0) {
      pmf[0] = 1;
    } else {
      for (const NormalCell& cell : rounding == Rounding::kLinear ? kEqual : kNarrow) {
        double metric = outcome(grid[level], cell.low);
        if (rounding != Rounding::kLinear) {
          const double other = outcome(grid[level], cell.high);
          metric = rounding == Rounding::kUp ? std::max(metric, other) : std::min(metric, other);
        }
        add_rounded(grid, metric, cell.chance, rounding, pmf);
      }
    }
    append(pmf, kernel);
  }
  return kernel;
}

// The lowest level at which passes of a version end, if rounding keeps the mean. The curve may end
// just above a level. Without this limit a metric that stays there would be split between that
// level and the next in every pass, until all of it had moved to a level that no run reaches.
double lowest_level(const std::vector<double>& grid, const VersionLaw& law, Rounding rounding) {
  const double lowest = std::max(law.metric_supported, law.curve.floor);
  if (rounding != Rounding::kLinear) return law.metric_supported;
  const auto level = std::lower_bound(grid.begin(), grid.end(), lowest);
  return level == grid.end() ? lowest : *level;
}

}  // namespace

void Kernel::add_row(std::uint32_t first, const std::vector<double>& chances) {
  rows_.push_back({first, static_cast<std::uint32_t>(chances.size()),
                   static_cast<std::uint32_t>(chances_.size())});
  chances_.insert(chances_.end(), chances.begin(), chances.end());
}

std::vector<double> Kernel::apply(const std::vector<double>& pmf) const {
  SURETY_CHECK(pmf.size() == rows_.size());
  static constexpr double kNegligible = 1e-12;
  std::vector<double> result(pmf.size(), 0.0);
  for (std::size_t level = 0; level < pmf.size(); ++level) {
    if (pmf[level] < kNegligible) continue;
    const Row& row = rows_[level];
    for (std::uint32_t i = 0; i < row.count; ++i) {
      result[row.first + i] += pmf[level] * chances_[row.offset + i];
    }
  }
  return result;
}

std::vector<double> Kernel::row(std::size_t level) const {
  SURETY_CHECK(level < rows_.size());
  std::vector<double> result(rows_.size(), 0.0);
  for (std::uint32_t i = 0; i < rows_[level].count; ++i) {
    result[rows_[level].first + i] = chances_[rows_[level].offset + i];
  }
  return result;
}

Kernel pass_kernel(const std::vector<double>& grid, const Setting& setting, std::size_t version,
                   std::uint32_t passes, double passes_expected, Rounding rounding) {
  const VersionLaw& law = setting.laws.versions[version];
  const double n = passes;
  const double effect = setting.laws.run_effect;
  const double spread = std::sqrt(n * (law.noise * law.noise + passes_expected * effect * effect));
  const double lowest = lowest_level(grid, law, rounding);
  return make_kernel(grid, rounding, [&](double metric, double z) {
    // A level at or below this version's floor is not on its curve, so it stays.
    const double progress = law.curve.progress(metric);
    if (!std::isfinite(progress)) return metric;
    return std::max(law.curve.at(progress + law.rate * (n + spread * z)), lowest);
  });
}

Kernel class_pass_kernel(const std::vector<double>& grid, const VersionLaw& law, double rate_factor,
                         Rounding rounding) {
  const double lowest = lowest_level(grid, law, rounding);
  return make_kernel(grid, rounding, [&](double metric, double z) {
    const double progress = law.curve.progress(metric);
    if (!std::isfinite(progress)) return metric;
    const double step = law.rate * rate_factor * (1 + law.noise * z);
    return std::max(law.curve.at(progress + step), lowest);
  });
}

Kernel identity_kernel(std::size_t levels) {
  Kernel kernel;
  for (std::size_t level = 0; level < levels; ++level) {
    kernel.add_row(static_cast<std::uint32_t>(level), {1});
  }
  return kernel;
}

Kernel switch_kernel(const std::vector<double>& grid, const Setting& setting, std::size_t from,
                     std::size_t to, Rounding rounding) {
  const std::vector<VersionLaw>& versions = setting.laws.versions;
  const double lowest = versions[to].curve.lowest();
  SwitchLaw jump;  // No jump if only the number of nodes changes.
  if (versions[from].rank != versions[to].rank) {
    jump = setting.laws.switches[versions[from].rank][versions[to].rank];
  }
  return make_kernel(grid, rounding, [&](double metric, double z) {
    // Here a switch to the stop metric counts at once. The job checks only after the next pass,
    // which nearly always confirms it.
    const double after = std::max(metric, lowest) * std::exp(jump.log_mean + jump.log_sd * z);
    return std::max(after, lowest);
  });
}

std::vector<double> start_pmf(const std::vector<double>& grid, const Setting& setting,
                              std::size_t version, Rounding rounding) {
  std::vector<double> pmf(grid.size(), 0.0);
  add_rounded(grid, setting.laws.versions[version].curve.at(0), 1, rounding, pmf);
  return pmf;
}

}  // namespace surety::plan
