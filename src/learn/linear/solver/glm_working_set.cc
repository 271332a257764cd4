#include "learn/linear/solver/glm_working_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.h"

namespace surety::learn {
namespace {

// Rows with more values than this are not copied, because memory streams them anyway.
constexpr std::uint32_t kShortRow = 256;

bool is_short(const DualRow& row) { return row.x.count <= kShortRow; }

// The lower one of two medians; 0 if there are no values.
float median(std::vector<float>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

WorkingSet::WorkingSet(const Options& options, const RowParts& parts, Memory& memory)
    : options_(options),
      parts_(parts),
      rows_(memory.rows),
      features_(memory.features),
      values_(memory.values) {
  features_.clear();
  values_.clear();
}

void WorkingSet::keep(std::span<DualRow> rows) {
  const std::size_t before = kept_;
  const float near = slack_of_near(rows);
  // The vector may be larger than the number of kept rows, and never shrinks.
  if (rows_.size() < kept_ + rows.size()) rows_.resize(kept_ + rows.size());
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

void WorkingSet::keep_views(std::span<DualRow> rows, float near) {
  std::vector<std::size_t> firsts(parts_.count());
  parts_.for_many(rows, [&](std::span<DualRow> part, std::size_t number) {
    firsts[number] = static_cast<std::size_t>(std::count_if(
        part.begin(), part.end(), [=](const DualRow& row) { return row.slack <= near; }));
  });
  const std::size_t all = std::accumulate(firsts.begin(), firsts.end(), std::size_t{0});
  std::exclusive_scan(firsts.begin(), firsts.end(), firsts.begin(), kept_);
  parts_.for_many(rows, [&](std::span<DualRow> part, std::size_t number) {
    std::copy_if(part.begin(), part.end(), rows_.data() + firsts[number],
                 [=](const DualRow& row) { return row.slack <= near; });
  });
  kept_ += all;
}

// Also copies the values at once. The copies move in memory while they grow, so the kept rows have
// no views until close().
void WorkingSet::keep_copies(std::span<const DualRow> rows, float near) {
  for (const DualRow& row : rows) {
    if (row.slack > near) continue;
    RowView& x = (rows_[kept_++] = row).x;
    values_.insert(values_.end(), x.value, x.value + x.count);
    features_.insert(features_.end(), x.feature, x.feature + (x.feature != nullptr ? x.count : 0));
    x.value = nullptr;
  }
}

void WorkingSet::view_copies() {
  std::size_t at = 0;
  for (DualRow& row : kept()) {
    row.x.value = values_.data() + at;
    if (row.x.feature != nullptr) row.x.feature = features_.data() + at;
    at += row.x.count;
  }
}

// The largest slack among the rows at rest that join the working set. 0 for sparse rows: if they
// are short, their visits cost more than the iterations that they save.
float WorkingSet::slack_of_near(std::span<const DualRow> rows) {
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

void WorkingSet::close() {
  working_ = kept_;
  near_ = median(near_slacks_);
  if (options_.rows_are_temporary) view_copies();
}

void WorkingSet::shuffle(std::uint64_t seed, bool in_parts) {
  const auto shuffle = [seed](std::span<DualRow> rows, std::size_t part) {
    Random(seed).fork("working set", part).shuffle(rows);
  };
  if (!in_parts) return shuffle(kept(), 0);
  parts_.for_each(kept(), shuffle);
}

void WorkingSet::gather_values() {
  std::vector<std::size_t> counts(parts_.count());
  parts_.for_each(kept(), [&](std::span<const DualRow> rows, std::size_t part) {
    for (const DualRow& row : rows) counts[part] += is_short(row) ? row.x.count : 0;
  });
  std::vector<std::size_t> firsts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), firsts.begin(), std::size_t{0});
  const bool sparse = kept_ > 0 && rows_[0].x.feature != nullptr;
  values_.resize(firsts.back() + counts.back());
  features_.resize(sparse ? values_.size() : 0);
  parts_.for_each(kept(), [&](std::span<DualRow> rows, std::size_t part) {
    gather_values(rows, firsts[part]);
  });
}

void WorkingSet::gather_values(std::span<DualRow> rows, std::size_t at) {
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

// Rows that nearly move keep their order. The others go behind them, with their dual variables.
void WorkingSet::shrink() {
  std::size_t still = 0;
  for (DualRow& row : working()) {
    if (nearly_moves(row)) std::swap(rows_[still++], row);
  }
  working_ = still;
}

}  // namespace surety::learn
