#include "learn/linear/solver/glm_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "learn/linear/solver/glm_extrapolation.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace {

// Revisits end when the gap of the working set is this share of the gap at the first visits,
// because then the rows outside of the set add more than those inside. Half or twice this value
// makes little difference.
constexpr double kGapShare = 0.1;

// If fewer than this share of the rows of the set still move, the others are removed from the set.
// If it were cut more often, extrapolation would not have enough points with the same rows.
constexpr double kShrinkShare = 0.9;

// Values between two polls of the stop token: about 10 ms at a nanosecond for each value, and at
// most some 50 ms if memory is slow.
constexpr std::size_t kValuesPerPoll = std::size_t{1} << 22;

// The approximate number of values in a thread's slice of dense rows: 128 rows of 1,000. Dense rows
// are similar, so threads that merge less often undo each other's steps. If they merged twice as
// often, they would wait as long as they work.
constexpr std::size_t kValuesPerSlice = std::size_t{1} << 17;
// Least number of values in a slice for each feature, because adding up the changes of slices costs
// as much as some values for each feature. With fewer, two threads are not faster than one on
// 131,072 features.
constexpr std::size_t kValuesPerFeature = 9;

// The approximate number of values, from a sample of the rows.
std::size_t values_about(std::span<const DualRow> rows) {
  static constexpr std::size_t kEvery = 64;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < rows.size(); i += kEvery) sum += rows[i].x.count;
  return std::min(kEvery, rows.size()) * sum;
}

// to|^2 - |from|^2 of the weights, without the cancellation of two large numbers.
double squared_norm_rise(std::span<const double> from, std::span<const double> to,
                         double threshold) {
  double sum = 0;
  for (std::size_t f = 0; f < from.size(); ++f) {
    const double before = soft(from[f], threshold);
    const double after = soft(to[f], threshold);
    sum += (after - before) * (after + before);
  }
  return sum;
}

// The dual variable nearest to `alpha` that the loss allows.
float feasible(Loss loss, double alpha, double y) {
  if (loss == Loss::kSquared) return static_cast<float>(alpha);
  const double b = std::max(0.0, y * alpha);
  return static_cast<float>(y * (loss == Loss::kSquaredHinge ? b : std::min(1.0, b)));
}

}  // namespace

LocalSolver::LocalSolver(const Options& options, std::vector<double>& v, Memory& memory,
                         const std::atomic<bool>& stop)
    : options_(options),
      kernels_(row_kernels(options.simd)),
      v_(v),
      stop_(stop),
      parts_(options.team),
      set_({.near_share = options.near_share, .rows_are_temporary = options.rows_are_temporary},
           parts_, memory.set),
      series_(memory.series),
      guess_v_(memory.guess),
      rounded_(memory.rounded) {
  round_model();
  if (options_.team != nullptr && options_.team->size() > 1) {
    team_.emplace(options_.problem, kernels_, *options_.team, memory.replicas, v_, rounded_);
  }
}

void LocalSolver::round_model() {
  rounded_.resize(v_.size());
  std::transform(v_.begin(), v_.end(), rounded_.begin(),
                 [](double weight) { return static_cast<float>(weight); });
}

// Number of rounds in which the team visits the rows; 0 if the caller's thread alone is faster.
std::size_t LocalSolver::rounds_for(std::span<const DualRow> rows) const {
  if (!team_ || rows.empty()) return 0;
  const std::size_t share = values_about(rows) / options_.team->size();
  if (share < std::max(kValuesPerSlice, kValuesPerFeature * v_.size())) return 0;
  const bool dense = rows.front().x.feature == nullptr;
  const std::size_t most = dense ? kValuesPerSlice : kValuesPerPoll;
  return (share + most - 1) / most;
}

// Visits the rows in runs, so that `stop` is polled in time.
Result<PassSums> LocalSolver::pass(std::span<DualRow> rows) {
  PassSums sums;
  if (const std::size_t rounds = rounds_for(rows); rounds > 0) {
    const auto should_continue = [this] { return !stop_.load(std::memory_order_relaxed); };
    sums = team_->visit(rows, rounds, should_continue);
    if (!should_continue()) return fail(ErrorCode::kUnavailable, "stopped");
    return sums;
  }
  if (team_) team_->forget();
  for (std::size_t begin = 0; begin < rows.size();) {
    if (stop_.load(std::memory_order_relaxed)) return fail(ErrorCode::kUnavailable, "stopped");
    std::size_t values = 0;
    std::size_t end = begin;
    while (end < rows.size() && values < kValuesPerPoll) values += rows[end++].x.count + 1;
    const PassSums part = kernels_.ascend(options_.problem, rows.subspan(begin, end - begin),
                                          {.exact = v_.data(), .rounded = rounded_.data()});
    sums.loss += part.loss;
    sums.gap += part.gap;
    if (part.broken != nullptr) {
      sums.broken = part.broken;
      return sums;
    }
    begin = end;
  }
  return sums;
}

Result<void> LocalSolver::visit(std::span<DualRow> rows,
                                const std::function<std::size_t(const DualRow&)>& sample_of) {
  SURETY_TRY(const PassSums sums, pass(rows));
  if (sums.broken != nullptr) {
    return fail(ErrorCode::kInvalidInput,
                "sample {}: values that are not finite, or too large to be squared",
                sample_of(*sums.broken));
  }
  loss_sum_ += sums.loss;
  gap_sum_ += sums.gap;
  visited_ += rows.size();
  write_back(rows);
  if (options_.revisits > 0) set_.keep(rows);
  return {};
}

void LocalSolver::write_back(std::span<DualRow> rows) {
  parts_.for_many(rows, [](std::span<DualRow> part, std::size_t) {
    for (const DualRow& row : part) *row.home = row.alpha;
  });
}

Result<void> LocalSolver::finish() {
  set_.close();
  const std::size_t kept = set_.kept().size();
  set_.shuffle(options_.seed, rounds_for(set_.kept()) > 0);
  // If most rows were kept, a copy is not faster.
  if (!options_.rows_are_temporary && kept <= visited_ / 2) set_.gather_values();
  begin_series();
  const auto most = static_cast<std::uint64_t>(options_.revisits * static_cast<double>(visited_));
  const auto is_left = [&](std::uint64_t passes) {
    return revisited_ + passes * set_.working().size() <= most;
  };
  while (!set_.working().empty() && is_left(1)) {
    const std::span<DualRow> rows = set_.working();
    revisited_ += rows.size();
    SURETY_TRY(const PassSums sums, pass(rows));
    SURETY_CHECK(sums.broken == nullptr);  // The values were checked by the first visits.
    if (sums.gap <= kGapShare * gap_sum_) break;
    const std::size_t moving = add_point();
    if (static_cast<double>(moving) < kShrinkShare * static_cast<double>(rows.size())) {
      set_.shrink();
      begin_series();
      continue;
    }
    if (!series_.full()) continue;
    // A guess is never the last step: it may be good for the dual, but bad for the rows outside of
    // the set.
    if (is_left(2)) {
      try_guess(series_.guess());
      revisited_ += rows.size();
    }
    begin_series();
  }
  write_back(set_.kept());
  return {};
}

// Begins a series with the current dual variables of the working set.
void LocalSolver::begin_series() {
  series_.restart(set_.working().size());
  (void)add_point();
}

// Adds the dual variables as the next point. Returns how many of the rows moved, or nearly did.
std::size_t LocalSolver::add_point() {
  const std::span<float> point = series_.next();
  const std::span<DualRow> working = set_.working();
  std::vector<std::size_t> moving(parts_.count());
  parts_.for_many(working, [&](std::span<DualRow> rows, std::size_t part) {
    float* at = point.data() + (rows.data() - working.data());
    std::size_t count = 0;
    for (const DualRow& row : rows) {
      *at++ = row.alpha;
      count += set_.nearly_moves(row) ? 1 : 0;
    }
    moving[part] = count;
  });
  return std::accumulate(moving.begin(), moving.end(), std::size_t{0});
}

// Uses the guess, limited to values that the loss allows, if the dual is higher there.
void LocalSolver::try_guess(std::span<const double> guess) {
  const std::span<DualRow> working = set_.working();
  SURETY_CHECK(guess.size() == working.size());
  const DualProblem& problem = options_.problem;
  std::vector<float> to(working.size());
  parts_.for_many(working, [&](std::span<DualRow> rows, std::size_t) {
    auto i = static_cast<std::size_t>(rows.data() - working.data());
    for (const DualRow& row : rows) {
      to[i] = feasible(problem.loss, guess[i], row.label);
      ++i;
    }
  });
  if (rounds_for(working) > 0) return team_->move_to(working, to);
  guess_v_ = v_;
  double gain = 0;
  for (std::size_t i = 0; i < working.size(); ++i) {
    const DualRow& row = working[i];
    if (to[i] == row.alpha) continue;
    kernels_.add(row.x, problem.scale * (double{to[i]} - row.alpha), guess_v_.data());
    gain += conjugate_at(problem.loss, row.alpha, row.label) -
            conjugate_at(problem.loss, to[i], row.label);
  }
  gain -= squared_norm_rise(v_, guess_v_, problem.threshold) / (2 * problem.scale);
  if (!(gain > 0)) return;
  std::swap(v_, guess_v_);
  round_model();
  if (team_) team_->forget();
  for (std::size_t i = 0; i < working.size(); ++i) working[i].alpha = to[i];
}

}  // namespace surety::learn
