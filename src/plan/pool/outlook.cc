#include "plan/pool/outlook.h"

#include <algorithm>

#include "base/check.h"
#include "plan/statistics.h"

namespace surety::plan {
namespace {

// The certifying samples agree with a model that shows the target, but not the margin. Between
// the margin's end (0.95 for a promise of 0.9) and the target itself (0.5) the mean is 0.77; it is
// less because the best of several models is taken.
constexpr double kWithoutMargin = 0.6;

}  // namespace

Outlook outlook_of(const PoolChoice& stops, double confirmed, const PoolChoice& shows,
                   double confidence) {
  SURETY_CHECK(stops.kept.size() == shows.kept.size() && !stops.kept.empty());
  Outlook out;
  out.by_draw = stops.kept;
  for (std::size_t d = 0; d < out.by_draw.size(); ++d) {
    const double only_shows = std::max(0.0, shows.kept[d] - stops.kept[d] / confirmed);
    out.by_draw[d] += kWithoutMargin * only_shows;
  }
  out.low = quantile(out.by_draw, 1 - confidence);
  out.mean = mean(out.by_draw);
  return out;
}

}  // namespace surety::plan
