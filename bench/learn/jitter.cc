#include "jitter.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "cluster.h"

namespace surety::bench {
namespace {

Result<LossCurves> measure(Cluster& cluster, LossCurves curves) {
  learn::Model last = cluster.model();
  last.average.clear();
  SURETY_TRY(curves.last.emplace_back(), cluster.loss(last));
  SURETY_TRY(curves.averaged.emplace_back(), cluster.loss(cluster.model()));
  return curves;
}

}  // namespace

Result<std::vector<LossCurves>> train_curves(const JitterCase& spec, const std::string& folder,
                                             std::uint32_t seeds) {
  SURETY_TRY(Images images, load_images(spec, folder));
  Cluster cluster(spec, images);
  std::vector<LossCurves> all;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    SURETY_TRY(cluster.begin(seed));
    LossCurves curves;
    for (std::uint32_t pass = 0; pass < spec.passes; ++pass) {
      SURETY_TRY(cluster.train_pass(pass));
      SURETY_TRY(curves, measure(cluster, std::move(curves)));
    }
    all.push_back(std::move(curves));
  }
  return all;
}

double jitter_of(const std::vector<double>& losses, std::size_t after) {
  SURETY_CHECK(losses.size() >= after + 2);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = after; i < losses.size(); ++i) {
    const double step = losses[i] - losses[i - 1];
    sum += step;
    squares += step * step;
  }
  const auto count = static_cast<double>(losses.size() - after);
  return std::sqrt(std::max(0.0, squares / count - sum * sum / (count * count)));
}

double passes_to(const std::vector<double>& losses, double target) {
  const auto hit = std::ranges::find_if(losses, [&](double loss) { return loss <= target; });
  return static_cast<double>(hit - losses.begin()) + 1;
}

}  // namespace surety::bench
