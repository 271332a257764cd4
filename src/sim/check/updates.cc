#include "sim/check/updates.h"

#include <cmath>

namespace surety::sim {
namespace {

// Of sums of floats, in some order, on values of some tens: no update is as small as that.
constexpr double kRounding = 2e-3;

}  // namespace

void Updates::restarted(const std::vector<proto::JournalRecord>&) {
  sequence_ = 0;
  ended_.clear();
}

void Updates::commanded(WorkerId, const proto::ToWorker& message) {
  if (message.has_welcome() || message.has_bye() || message.sequence() <= sequence_) return;
  sequence_ = message.sequence();
  ended_.clear();
  members_ = static_cast<std::size_t>(message.step().members_size());
  iteration_ = message.step().iteration();
}

void Updates::exchanged(WorkerId worker, const Exchanged& what) {
  if (what.sequence != sequence_) return;  // It was replaced.
  ended_[worker] = what;
  if (ended_.size() < members_) return;
  ++checked_;
  const Exchanged& first = ended_.begin()->second;
  std::vector<double> expected(first.before.begin(), first.before.end());
  for (const auto& [member, part] : ended_) {
    if (part.before != first.before || part.after != first.after) {
      return violated(fmt::format("iteration {}: workers {} and {} have different models",
                                  iteration_, ended_.begin()->first, member));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += part.learned[i];
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(expected[i] - first.after[i]) <= kRounding) continue;
    return violated(
        fmt::format("iteration {}: value {} of the model is {}, with every update once "
                    "it were {}",
                    iteration_, i, first.after[i], expected[i]));
  }
}

}  // namespace surety::sim
