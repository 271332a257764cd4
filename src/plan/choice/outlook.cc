#include "plan/choice/outlook.h"

#include <algorithm>

#include "base/check.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

// The chance that the certifying samples agree if a model reaches the target without the margin.
// For a promise of 0.9 it is 0.95 at the end of the margin and 0.5 at the target: 0.77 on average.
// The constant is lower, because the best of several models is taken.
constexpr double kWithoutMargin = 0.6;

Outlook outlook_of_option(const std::vector<double>& stops, double confirmed,
                          const std::vector<double>& shows) {
  SURETY_CHECK(stops.size() == shows.size());
  Outlook out;
  out.by_draw = stops;
  for (std::size_t d = 0; d < stops.size(); ++d) {
    out.by_draw[d] += kWithoutMargin * std::max(0.0, shows[d] - stops[d] / confirmed);
  }
  out.mean = mean(out.by_draw);
  return out;
}

}  // namespace

Outlook outlook_of(const PoolChoice& stops, double confirmed, const PoolChoice& shows,
                   double confidence) {
  SURETY_CHECK(stops.kept.size() == shows.kept.size() && !stops.kept.empty());
  Outlook best;
  for (std::size_t option = 0; option < stops.kept.size(); ++option) {
    Outlook one = outlook_of_option(stops.kept[option], confirmed, shows.kept[option]);
    if (option == 0 || one.mean > best.mean) best = std::move(one);
  }
  best.low = quantile(best.by_draw, 1 - confidence);
  return best;
}

}  // namespace surety::plan
