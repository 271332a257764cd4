#include "learn/linear/glm_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "learn/linear/glm_extrapolation.h"
#include "learn/linear/glm_penalty.h"

namespace surety::learn {
namespace {

// The working set is good enough when its gap is this share of the gap at the first visits: then
// the rows outside of it add more than those inside. Half or double makes little difference.
constexpr double kGapShare = 0.1;

// If fewer than this share of the rows of the set still move, the set is cut down to those. If it
// were cut more often, extrapolation would not see the same rows for long enough.
constexpr double kShrinkShare = 0.9;

// Rows with more values than this are not copied, because memory streams them anyway.
constexpr std::uint32_t kShortRow = 256;

bool is_short(const DualRow& row) { return row.x.count <= kShortRow; }

// Values between two polls of the stop token: about 10 ms at a nanosecond for each value, and at
// most some 50 ms if memory is slow.
constexpr std::size_t kValuesPerPoll = std::size_t{1} << 22;

// Values in a thread's slice of dense rows, about: 128 rows of 1,000. Dense rows are alike, so
// threads that merge less often undo each other's steps. Merging twice as often costs as much
// waiting as work.
constexpr std::size_t kValuesPerSlice = std::size_t{1} << 17;
// To look at this many rows is worth waking threads: it takes some 20 us.
constexpr std::size_t kRowsForThreads = std::size_t{1} << 12;
// Least number of values in a slice for each feature: to add up the changes of slices costs as much
// as some values for each feature. With fewer, two threads gain nothing on 131,072 features.
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

// The lower one of two medians; 0 if there are no values.
float median(std::vector<float>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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
      set_(memory.set),
      series_(memory.series),
      features_(memory.features),
      values_(memory.values),
      guess_v_(memory.guess),
      rounded_(memory.rounded) {
  features_.clear();
  values_.clear();
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
  if (options_.revisits > 0) keep(rows);
  return {};
}

void LocalSolver::write_back(std::span<DualRow> rows) {
  for_many(rows, [](std::span<DualRow> part, std::size_t) {
    for (const DualRow& row : part) *row.home = row.alpha;
  });
}

Result<void> LocalSolver::finish() {
  working_ = kept_;
  near_ = median(near_slacks_);
  if (options_.rows_are_temporary) view_copies();
  mix();
  // If most rows were kept, they are just as well read where they lie.
  if (!options_.rows_are_temporary && kept_ <= visited_ / 2) gather_values();
  begin_series();
  const auto most = static_cast<std::uint64_t>(options_.revisits * static_cast<double>(visited_));
  const auto is_left = [&](std::uint64_t passes) { return revisited_ + passes * working_ <= most; };
  while (working_ > 0 && is_left(1)) {
    revisited_ += working_;
    SURETY_TRY(const PassSums sums, pass(working()));
    SURETY_CHECK(sums.broken == nullptr);  // The values were checked by the first visits.
    if (sums.gap <= kGapShare * gap_sum_) break;
    const std::size_t moving = add_point();
    if (static_cast<double>(moving) < kShrinkShare * static_cast<double>(working_)) {
      shrink();
      begin_series();
      continue;
    }
    if (!series_.full()) continue;
    // A guess is never the last step: it may be good for the dual but bad for the rows left out.
    if (is_left(2)) {
      try_guess(series_.guess());
      revisited_ += working_;
    }
    begin_series();
  }
  write_back(kept());
  return {};
}

// Begins a series with the current dual variables of the working set.
void LocalSolver::begin_series() {
  series_.restart(working_);
  (void)add_point();
}

// Adds the dual variables as the next point. Returns how many of the rows moved, or nearly did.
std::size_t LocalSolver::add_point() {
  const std::span<float> point = series_.next();
  std::vector<std::size_t> moving(options_.team != nullptr ? options_.team->size() : 1);
  for_many(working(), [&](std::span<DualRow> rows, std::size_t part) {
    float* at = point.data() + (rows.data() - set_.data());
    std::size_t count = 0;
    for (const DualRow& row : rows) {
      *at++ = row.alpha;
      count += row.slack <= near_ ? 1 : 0;
    }
    moving[part] = count;
  });
  return std::accumulate(moving.begin(), moving.end(), std::size_t{0});
}

// The largest slack among the rows at rest that join the working set. 0 for sparse rows: if they
// are short, their visits cost more than the iterations that they save.
float LocalSolver::slack_of_near(std::span<const DualRow> rows) {
  if (rows.empty() || rows.front().x.feature != nullptr) return 0;
  slacks_.clear();
  for (const DualRow& row : rows) {
    if (row.slack > 0 && row.slack < kNeverMoves) slacks_.push_back(row.slack);
  }
  const auto moving = static_cast<double>(
      std::count_if(rows.begin(), rows.end(), [](const DualRow& row) { return row.slack == 0; }));
  const auto wanted = static_cast<std::size_t>(std::ceil(options_.near_share * moving));
  const std::size_t taken = std::min(slacks_.size(), wanted);
  if (taken == 0) return 0;
  const auto last = slacks_.begin() + static_cast<std::ptrdiff_t>(taken - 1);
  std::nth_element(slacks_.begin(), last, slacks_.end());
  return *last;
}

// Keeps the rows that can move, or nearly can.
void LocalSolver::keep(std::span<DualRow> rows) {
  const std::size_t before = kept_;
  const float near = slack_of_near(rows);
  // The set may grow beyond what is kept; it never shrinks.
  if (set_.size() < kept_ + rows.size()) set_.resize(kept_ + rows.size());
  if (options_.rows_are_temporary) {
    keep_copies(rows, near);
  } else {
    keep_views(rows, near);
  }
  if (!(near > 0)) return;
  for (const DualRow& row : kept().subspan(before)) {
    if (row.slack > 0) near_slacks_.push_back(row.slack);
  }
}

void LocalSolver::keep_views(std::span<DualRow> rows, float near) {
  std::vector<std::size_t> firsts(options_.team != nullptr ? options_.team->size() : 1);
  for_many(rows, [&](std::span<DualRow> part, std::size_t number) {
    firsts[number] = static_cast<std::size_t>(std::count_if(
        part.begin(), part.end(), [=](const DualRow& row) { return row.slack <= near; }));
  });
  const std::size_t all = std::accumulate(firsts.begin(), firsts.end(), std::size_t{0});
  std::exclusive_scan(firsts.begin(), firsts.end(), firsts.begin(), kept_);
  for_many(rows, [&](std::span<DualRow> part, std::size_t number) {
    std::copy_if(part.begin(), part.end(), set_.data() + firsts[number],
                 [=](const DualRow& row) { return row.slack <= near; });
  });
  kept_ += all;
}

// Copies the values too, at once. The copies move in memory while they grow, so the kept rows view
// nothing until finish().
void LocalSolver::keep_copies(std::span<const DualRow> rows, float near) {
  for (const DualRow& row : rows) {
    if (row.slack > near) continue;
    RowView& x = (set_[kept_++] = row).x;
    values_.insert(values_.end(), x.value, x.value + x.count);
    features_.insert(features_.end(), x.feature, x.feature + (x.feature != nullptr ? x.count : 0));
    x.value = nullptr;
  }
}

void LocalSolver::view_copies() {
  std::size_t at = 0;
  for (DualRow& row : kept()) {
    row.x.value = values_.data() + at;
    if (row.x.feature != nullptr) row.x.feature = features_.data() + at;
    at += row.x.count;
  }
}

// Neighbouring rows are often alike, and ascent over similar rows in sequence is very slow (ten
// times slower on text). Each thread shuffles the rows that it will visit.
void LocalSolver::mix() {
  const auto shuffle = [this](std::span<DualRow> rows, std::size_t part) {
    Random(options_.seed).fork("working set", part).shuffle(rows);
  };
  if (rounds_for(kept()) == 0) return shuffle(kept(), 0);
  for_parts(kept(), shuffle);
}

// Calls part(rows, number) for each thread's share of the rows.
void LocalSolver::for_parts(std::span<DualRow> rows,
                            const std::function<void(std::span<DualRow>, std::size_t)>& part) {
  if (options_.team == nullptr) return part(rows, 0);
  options_.team->run(
      [&](std::size_t thread) { part(options_.team->part_of(rows, thread), thread); });
}

// Like for_parts(), but only the caller's thread works if there are few rows.
void LocalSolver::for_many(std::span<DualRow> rows,
                           const std::function<void(std::span<DualRow>, std::size_t)>& part) {
  if (rows.size() < kRowsForThreads) return part(rows, 0);
  for_parts(rows, part);
}

// Copies short rows together, in the order in which they will be visited.
void LocalSolver::gather_values() {
  std::vector<std::size_t> counts(options_.team != nullptr ? options_.team->size() : 1);
  for_parts(kept(), [&](std::span<const DualRow> rows, std::size_t part) {
    for (const DualRow& row : rows) counts[part] += is_short(row) ? row.x.count : 0;
  });
  std::vector<std::size_t> firsts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), firsts.begin(), std::size_t{0});
  const bool sparse = kept_ > 0 && set_[0].x.feature != nullptr;
  values_.resize(firsts.back() + counts.back());
  features_.resize(sparse ? values_.size() : 0);
  for_parts(kept(),
            [&](std::span<DualRow> rows, std::size_t part) { gather_values(rows, firsts[part]); });
}

void LocalSolver::gather_values(std::span<DualRow> rows, std::size_t at) {
  static constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) {
      __builtin_prefetch(rows[i + kAhead].x.feature);
      __builtin_prefetch(rows[i + kAhead].x.value);
    }
    if (!is_short(rows[i])) continue;
    RowView& x = rows[i].x;
    std::copy_n(x.value, x.count, values_.data() + at);
    x.value = values_.data() + at;
    if (x.feature != nullptr) {
      std::copy_n(x.feature, x.count, features_.data() + at);
      x.feature = features_.data() + at;
    }
    at += x.count;
  }
}

// Rows that can move keep their order. The others go behind them, with their dual variables.
void LocalSolver::shrink() {
  std::size_t still = 0;
  for (DualRow& row : working()) {
    if (row.slack <= near_) std::swap(set_[still++], row);
  }
  working_ = still;
}

// Takes the guess, limited to what the loss allows, if the dual is higher there.
void LocalSolver::try_guess(std::span<const double> guess) {
  SURETY_CHECK(guess.size() == working_);
  const DualProblem& problem = options_.problem;
  std::vector<float> to(working_);
  for_many(working(), [&](std::span<DualRow> rows, std::size_t) {
    auto i = static_cast<std::size_t>(rows.data() - set_.data());
    for (const DualRow& row : rows) {
      to[i] = feasible(problem.loss, guess[i], row.label);
      ++i;
    }
  });
  if (rounds_for(working()) > 0) return team_->move_to(working(), to);
  guess_v_ = v_;
  double gain = 0;
  for (std::size_t i = 0; i < working_; ++i) {
    const DualRow& row = set_[i];
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
  for (std::size_t i = 0; i < working_; ++i) set_[i].alpha = to[i];
}

}  // namespace surety::learn
