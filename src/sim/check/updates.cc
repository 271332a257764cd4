#include "sim/check/updates.h"

#include <cmath>

namespace surety::sim {
namespace {

// Rounding of float sums, in any order, on values of some tens; every update is larger.
constexpr double kRounding = 2e-3;

}  // namespace

void Updates::on_restart(const std::vector<proto::JournalRecord>&) {
  sequence_ = 0;
  ended_.clear();
}

void Updates::on_command(WorkerId, const proto::ToWorker& message) {
  if (message.has_welcome() || message.has_bye() || message.sequence() <= sequence_) return;
  if (message.has_prepare()) session_samples_ = message.prepare().task().samples();
  const double weight = message.step().asynchronous().weight();
  const bool by_law = message.step().averages() && session_samples_ > 0;
  visits_each_ = by_law ? weight * kVisitsOfAll / static_cast<double>(session_samples_) : 0;
  sequence_ = message.sequence();
  ended_.clear();
  members_ = static_cast<std::size_t>(message.step().members_size());
  iteration_ = message.step().iteration();
}

void Updates::on_answer(WorkerId from, const proto::FromWorker& message) {
  const auto ended = ended_.find(from);
  if (message.sequence() != sequence_ || !message.has_step_done() || ended == ended_.end()) return;
  if (visits_each_ == 0) return;
  const double reported = visits_each_ * static_cast<double>(message.step_done().samples());
  if (std::abs(ended->second.learned.at(1) - reported) <= kRounding) return;
  violated(fmt::format(
      "iteration {}: worker {} has learned {:.4f} visits of all samples, but reports {:.4f}",
      iteration_, from, ended->second.learned.at(1) / kVisitsOfAll, reported / kVisitsOfAll));
}

void Updates::on_exchanged(WorkerId worker, const Exchanged& what) {
  if (what.sequence != sequence_) return;  // The command was replaced.
  ended_[worker] = what;
  if (ended_.size() < members_) return;
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
        fmt::format("iteration {}: value {} of the model is {}, expected {} from each update once",
                    iteration_, i, first.after[i], expected[i]));
  }
}

}  // namespace surety::sim
