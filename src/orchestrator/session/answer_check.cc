#include "orchestrator/session/answer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace surety::orchestrator {
namespace {

struct Number {
  const char* key;
  double value;
};

std::optional<std::string> not_from_zero(std::initializer_list<Number> numbers) {
  for (const Number& number : numbers) {
    if (std::isfinite(number.value) && number.value >= 0) continue;
    return fmt::format("{} is {}, expected a finite number from 0", number.key, number.value);
  }
  return std::nullopt;
}

// A loss may be NaN, if the model has diverged.
std::optional<std::string> below_zero(std::initializer_list<Number> numbers) {
  for (const Number& number : numbers) {
    if (!(number.value < 0)) continue;
    return fmt::format("{} is {}, expected 0 or more", number.key, number.value);
  }
  return std::nullopt;
}

// Tolerance for the same numbers that are computed on different processors.
bool are_alike(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

std::optional<std::string> wrong_number_in(const proto::FromWorker& answer) {
  if (answer.has_step_done()) {
    return not_from_zero({{"compute_s", answer.step_done().compute_s()},
                          {"reduce_s", answer.step_done().reduce_s()}});
  }
  if (answer.has_probed()) return not_from_zero({{"bytes_per_s", answer.probed().bytes_per_s()}});
  if (!answer.has_evaluated()) return std::nullopt;
  const proto::Sums& sums = answer.evaluated().sums();
  if (sums.correct() > sums.samples()) {
    return fmt::format("{} of {} samples are correct", sums.correct(), sums.samples());
  }
  // Each part of a duality gap is 0 or more (learn/task.h); rounding may take it a little below.
  const double rounding = 1e-9 * (1 + std::abs(sums.loss_sum()) + std::abs(sums.penalty()));
  if (const double gap = std::min(sums.gap_sum(), sums.penalty_gap()); gap < -rounding) {
    return fmt::format("a part of the duality gap is {}, expected 0 or more", gap);
  }
  return below_zero({{"loss_sum", sums.loss_sum()},
                     {"loss_square_sum", sums.loss_square_sum()},
                     {"penalty", sums.penalty()}});
}

std::optional<std::string> wrong_in_saved(const SaveOrder& order, const Answers& answers) {
  int models = 0;
  for (const auto& [worker, answer] : answers) {
    for (const proto::SavedFile& file : answer.saved().files()) {
      models += file.chunks().empty();
      const std::string folder = order.folder + "/";
      const bool is_below = file.path().starts_with(folder) &&
                            file.path().find('/', folder.size()) == std::string::npos &&
                            file.path().size() > folder.size() && file.path()[folder.size()] != '.';
      if (is_below) continue;
      return fmt::format("worker {}: it had to save to {}, but names the file {}", worker,
                         order.folder, file.path());
    }
  }
  if (models == 1) return std::nullopt;
  return fmt::format("{} files of the checkpoint {} hold the model, expected 1", models,
                     order.folder);
}

std::optional<std::string> wrong_in_evaluated(const EvaluateOrder& order, const Answers& answers,
                                              std::uint64_t samples) {
  std::uint64_t total = 0;
  const proto::Sums& first = answers.begin()->second.evaluated().sums();
  for (const auto& [worker, answer] : answers) {
    const proto::Sums& sums = answer.evaluated().sums();
    total += sums.samples();
    const bool same = are_alike(sums.penalty(), first.penalty()) &&
                      are_alike(sums.penalty_gap(), first.penalty_gap());
    if (same) continue;
    return fmt::format("workers {} and {} found different penalties of one model ({} and {})",
                       answers.begin()->first, worker, first.penalty(), sums.penalty());
  }
  if (order.duality && total != samples) {
    // If two workers or no worker held a chunk, the gap would be wrong.
    return fmt::format(
        "the duality gap covers {} samples, expected {}: the workers do not hold each chunk "
        "exactly once",
        total, samples);
  }
  if (order.samples && total != *order.samples) {
    return fmt::format("the workers have evaluated {} validation samples, expected {}", total,
                       *order.samples);
  }
  if (total == 0) return "no worker has evaluated a sample";
  return std::nullopt;
}

}  // namespace surety::orchestrator
