#include "test/support/plan/schedules/row_means.h"

#include "base/check.h"

namespace surety::plan {
namespace {

double mean_of_row(const Kernel& kernel, std::size_t level, const std::vector<double>& metrics) {
  const Kernel::View row = kernel.view(level);
  double sum = 0;
  for (std::size_t i = 0; i < row.chances.size(); ++i) {
    sum += row.chances[i] * metrics[row.first + i];
  }
  return sum;
}

}  // namespace

MeanCurves mean_curves(const Mdp& mdp, const std::vector<MdpStart>& starts,
                       const std::vector<double>& metrics) {
  SURETY_CHECK(metrics.size() == mdp.levels());
  MeanCurves curves;
  curves.metrics = metrics;
  const auto means = [&](const Kernel& kernel) {
    std::vector<double> values;
    for (std::size_t l = 0; l < metrics.size(); ++l) {
      values.push_back(mean_of_row(kernel, l, metrics));
    }
    return values;
  };
  for (const MdpVariant& variant : mdp.variants) curves.pass.push_back(means(variant.pass));
  for (const Kernel& jump : mdp.jumps) curves.jumps.push_back(means(jump));
  for (const MdpStart& start : starts) {
    double sum = 0;
    for (std::size_t l = 0; l < metrics.size(); ++l) sum += start.levels[l] * metrics[l];
    curves.starts.push_back(sum);
  }
  return curves;
}

}  // namespace surety::plan
