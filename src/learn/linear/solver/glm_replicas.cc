#include "learn/linear/solver/glm_replicas.h"

#include <algorithm>

#include "base/check.h"
#include "learn/linear/solver/glm_penalty.h"

namespace surety::learn {
namespace {

// sigma': each thread assumes that its changes are larger than they are by this factor, as if the
// others made a quarter of the same changes. The values 1 and 1.5 cost the three data sets of
// bench/elastic up to a fifth more visits.
constexpr double kSigma = 1.25;

// If the best step is above this, the whole step is taken: only passes whose steps have the same
// length can be extrapolated.
constexpr double kNearlyWhole = 0.7;

// If the best step is above this, the whole step improves the dual.
constexpr double kGains = 0.5;

// Neighbouring sums are computed together, so that compilers turn them into vector instructions.
constexpr std::size_t kLanes = 8;

std::span<DualRow> take(std::span<DualRow>& rows, std::size_t count) {
  const std::span<DualRow> taken = rows.first(std::min(count, rows.size()));
  rows = rows.subspan(taken.size());
  return taken;
}

double sum_of(const double (&lanes)[kLanes]) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

struct Along {
  double slope = 0;   // w.d
  double square = 0;  // |d|^2
};

// Slope and square of the whole step. Writes the model after it, `common` plus the changes of all
// slices, to `whole`.
template <typename WeightOf>
Along add_up(std::span<const double> common, std::span<const double* const> slices,
             std::span<double> whole, WeightOf weight_of) {
  double slope[kLanes] = {};
  double square[kLanes] = {};
  std::size_t f = 0;
  for (; f + kLanes <= common.size(); f += kLanes) {
    double sum[kLanes] = {};
    for (const double* slice : slices) {
      for (std::size_t k = 0; k < kLanes; ++k) sum[k] += slice[f + k] - common[f + k];
    }
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double change = sum[k] * (1 / kSigma);
      whole[f + k] = common[f + k] + change;
      slope[k] += weight_of(common[f + k]) * change;
      square[k] += change * change;
    }
  }
  for (; f < common.size(); ++f) {
    double sum = 0;
    for (const double* slice : slices) sum += slice[f] - common[f];
    const double change = sum * (1 / kSigma);
    whole[f] = common[f] + change;
    slope[0] += weight_of(common[f]) * change;
    square[0] += change * change;
  }
  return {.slope = sum_of(slope), .square = sum_of(square)};
}

}  // namespace

Replicas::Replicas(const DualProblem& problem, const RowKernels& kernels, Team& team,
                   Memory& memory, std::vector<double>& v, std::vector<float>& rounded)
    : problem_(problem),
      damped_(problem),
      kernels_(kernels),
      team_(team),
      copies_(memory),
      v_(v),
      rounded_(rounded),
      parts_(team.size()) {
  damped_.scale *= kSigma;
  copies_.resize(team.size());
}

PassSums Replicas::visit(std::span<DualRow> rows, std::size_t rounds,
                         const std::function<bool()>& should_continue) {
  SURETY_CHECK(rounds >= 1);
  distribute_rows(rows);
  const std::size_t count = (parts_[0].rows.size() + rounds - 1) / rounds;
  PassSums sums;
  // Whether the last slices are not merged yet. Each thread merges them before its next slice.
  bool unmerged = false;
  while (!parts_[0].rows.empty() && should_continue()) {
    if (unmerged) begin_round();
    team_.run([&](std::size_t thread) {
      if (unmerged) merge(thread, round_ - 1, Rule::kAsFarAsItRises);
      move_slice(thread, count, [&](std::span<DualRow> slice, Slice& model) {
        parts_[thread].sums = kernels_.ascend(
            damped_, slice, {.exact = model.exact.data(), .rounded = model.rounded.data()});
      });
    });
    for (const Part& part : parts_) {
      sums.loss += part.sums.loss;
      sums.gap += part.sums.gap;
      if (sums.broken == nullptr) sums.broken = part.sums.broken;
    }
    if (sums.broken != nullptr) return sums;  // The model cannot be used any more.
    unmerged = true;
  }
  if (unmerged) merge_all(Rule::kAsFarAsItRises);
  return sums;
}

void Replicas::move_to(std::span<DualRow> rows, std::span<const float> to) {
  SURETY_CHECK(to.size() == rows.size());
  distribute_rows(rows);
  const DualRow* first = rows.data();
  const std::size_t count = parts_[0].rows.size();
  team_.run([&](std::size_t thread) {
    move_slice(thread, count, [&](std::span<DualRow> slice, Slice& model) {
      for (DualRow& row : slice) {
        const float target = to[static_cast<std::size_t>(&row - first)];
        if (target == row.alpha) continue;
        kernels_.add(row.x, damped_.scale * (double{target} - row.alpha), model.exact.data());
        row.alpha = target;
      }
    });
  });
  merge_all(Rule::kAllOrNothing);
}

// The first thread gets at least as many rows as any other.
void Replicas::distribute_rows(std::span<DualRow> rows) {
  is_dense_ = !rows.empty() && rows.front().x.feature == nullptr;
  const std::size_t share = (rows.size() + parts_.size() - 1) / parts_.size();
  for (Part& part : parts_) part = {.rows = take(rows, share), .slice = {}, .sums = {}};
}

std::span<double> Replicas::common(std::size_t thread) {
  return thread == 0 ? v_ : copies_[thread].common;
}

void Replicas::copy_model(std::size_t thread) {
  Copy& copy = copies_[thread];
  if (thread > 0) copy.common = v_;
  for (Slice& slice : copy.slices) {
    slice.exact = v_;
    slice.rounded = rounded_;
  }
}

template <typename Visit>
void Replicas::move_slice(std::size_t thread, std::size_t count, Visit visit) {
  if (!is_current_) copy_model(thread);
  Part& part = parts_[thread];
  Copy& copy = copies_[thread];
  Slice& model = copy.slices[round_ % 2];
  part.slice = take(part.rows, count);
  copy.before.resize(part.slice.size());
  std::ranges::transform(part.slice, copy.before.begin(), &DualRow::alpha);
  visit(part.slice, model);
  model.fall = 0;
  for (std::size_t i = 0; i < part.slice.size(); ++i) {
    const DualRow& row = part.slice[i];
    if (row.alpha == copy.before[i]) continue;
    model.fall += conjugate_at(problem_.loss, copy.before[i], row.label) -
                  conjugate_at(problem_.loss, row.alpha, row.label);
  }
}

// Begins the next round, whose copies of the model are the merged ones.
void Replicas::begin_round() {
  is_current_ = true;
  ++round_;
}

void Replicas::merge_all(Rule rule) {
  begin_round();
  team_.run([&](std::size_t thread) { merge(thread, round_ - 1, rule); });
}

// Every thread does the same computation, so that the copies are bitwise equal.
void Replicas::merge(std::size_t thread, std::size_t round, Rule rule) {
  Copy& copy = copies_[thread];
  Slice& next = copy.slices[(round + 1) % 2];
  const std::span<double> from = common(thread);
  const double best = best_step(thread, round, next.exact);
  const double whole_from = rule == Rule::kAllOrNothing ? kGains : kNearlyWhole;
  const double less = rule == Rule::kAllOrNothing ? 0 : std::max(best, 0.0);
  const double share = best > whole_from ? 1 : less;
  const std::span<DualRow> slice = parts_[thread].slice;
  if (share < 1) {
    for (std::size_t f = 0; f < from.size(); ++f) {
      next.exact[f] = from[f] + share * (next.exact[f] - from[f]);
    }
    for (std::size_t i = 0; i < slice.size(); ++i) {
      const double before = copy.before[i];
      slice[i].alpha = static_cast<float>(before + share * (slice[i].alpha - before));
    }
  }
  std::copy(next.exact.begin(), next.exact.end(), from.begin());
  if (!is_dense_) return;
  for (std::size_t f = 0; f < from.size(); ++f) next.rounded[f] = static_cast<float>(from[f]);
  if (thread == 0) rounded_ = next.rounded;
}

// The step at which the bound of the gain is highest, along the sum of the changes. Leaves the
// model after the whole step in `whole`.
double Replicas::best_step(std::size_t thread, std::size_t round, std::span<double> whole) {
  std::vector<const double*> slices;
  double fall = 0;
  for (const Copy& copy : copies_) {
    slices.push_back(copy.slices[round % 2].exact.data());
    fall += copy.slices[round % 2].fall;
  }
  const double threshold = problem_.threshold;
  const std::span<const double> from = common(thread);
  const Along along =
      threshold > 0 ? add_up(from, slices, whole, [&](double v) { return soft(v, threshold); })
                    : add_up(from, slices, whole, [](double v) { return v; });
  return along.square > 0 ? (fall * problem_.scale - along.slope) / along.square : 1;
}

}  // namespace surety::learn
