#include "learn/network/weight_average.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace surety::learn {
namespace {

// Time constant as a share of the passes so far. If it is doubled, the average lags behind in the
// first passes.
constexpr double kShare = 0.125;

}  // namespace

double weight_of_newest(const AverageTurn& turn) {
  SURETY_CHECK(turn.passes > 0 && turn.begin >= 0 && turn.end >= turn.begin);
  const double constant = std::min(turn.passes, kShare * turn.end);
  if (constant == 0) return 1;
  return 1 - std::exp(-(turn.end - turn.begin) / constant);
}

void take_into_average(const std::optional<AverageTurn>& turn, Model& model) {
  if (!turn) return model.average.clear();
  if (model.average.empty()) {
    model.average = model.parameters;
    return;
  }
  SURETY_CHECK(model.average.size() == model.parameters.size());
  const auto weight = static_cast<float>(weight_of_newest(*turn));
  for (std::size_t i = 0; i < model.average.size(); ++i) {
    model.average[i] += weight * (model.parameters[i] - model.average[i]);
  }
}

}  // namespace surety::learn
