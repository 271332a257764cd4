// The pass of dual coordinate ascent, compiled once for each variant of the kernels. A source file
// that includes this header first defines SURETY_TARGET (the function attribute of its instruction
// set, possibly empty) and, in an unnamed namespace: products(), add(), their rounded forms, the
// forms for a block of kBlock dense rows, and soft_products<true>(), which uses weights beyond a
// threshold. It includes this header in the same namespace. Inlining then makes it one function,
// which saves a third of the time of a pass over short rows.
//
// This header opens no namespace and includes nothing, because it is a part of the file that
// includes it.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

// The step of best_dual() for the hinge loss, in a form that the compiler keeps in registers,
// because most passes train SVMs. ENSURES: b in [0, 1]; b does not change if it is already optimal.
inline float hinge_step(float b, double slope, double q) {
  if (!(q > 0)) return slope > 0 ? 1.0f : slope < 0 ? 0.0f : b;
  const float target = static_cast<float>(b + slope / q);
  return target < 0 ? 0.0f : target > 1 ? 1.0f : target;
}

// How far the margin of a row may move before its dual variable moves; 0 if the variable moves
// already. `gap` is the row's term of the duality gap before the step.
inline float slack_of(const DualProblem& problem, const DualRow& row, float before, double slope,
                      double gap) {
  const float b = row.label * row.alpha;
  if (problem.loss == Loss::kLogistic || problem.loss == Loss::kSquared) {
    return gap > 0 ? 0 : kNeverMoves;
  }
  const bool rests = row.alpha == before && (b == 0 || (b == 1 && problem.loss == Loss::kHinge));
  return rests ? static_cast<float>(std::abs(slope)) : 0;
}

inline bool holds_in_float(double dot, double square) {
  static constexpr double kFloatMax = 1e30;
  static constexpr double kFloatMin = 1e-30;
  return std::abs(dot) < kFloatMax && square < kFloatMax && square > kFloatMin;
}

// A dense row uses the rounded model, or the exact one if float cannot hold its products.
template <bool kSoft>
SURETY_TARGET inline RowProducts products_at(const RowView& x, const LocalModel& v,
                                             double threshold) {
  if constexpr (kSoft) return soft_products<true>(x, v.exact, threshold);
  if (x.feature != nullptr) return products(x, v.exact);
  const RowProducts at = rounded_products(x, v.rounded);
  return holds_in_float(at.dot, at.square) ? at : products(x, v.exact);
}

// Moves the dual variable of a row that has these products. Returns how far this moves the model
// along the row.
SURETY_TARGET inline double step_of(const DualProblem& problem, DualRow& row, const RowProducts& at,
                                    PassSums& sums) {
  const float before = row.alpha;
  const double q = problem.scale * at.square;
  double gap;
  if (problem.loss == Loss::kHinge) {
    const float b = row.label * before;
    const double slope = 1 - row.label * at.dot;
    const double loss = slope > 0 ? slope : 0;
    gap = loss - b * slope;
    sums.loss += loss;
    row.alpha = row.label * hinge_step(b, slope, q);
  } else if (problem.loss == Loss::kLogistic) {
    const LogisticVisit visit = visit_logistic(before, row.label, at.dot, q);
    gap = visit.gap;
    sums.loss += visit.loss;
    row.alpha = static_cast<float>(visit.alpha);
  } else {
    const double loss = loss_at(problem.loss, at.dot, row.label);
    gap = loss + conjugate_at(problem.loss, before, row.label) + before * at.dot;
    sums.loss += loss;
    row.alpha = static_cast<float>(best_dual(problem.loss, before, row.label, at.dot, q));
  }
  sums.gap += gap;
  row.slack = slack_of(problem, row, before, 1 - row.label * at.dot, gap);
  // Computed from the rounded value, because the model must move by exactly the change of the dual
  // variable.
  return problem.scale * (double{row.alpha} - before);
}

// Returns false, and changes nothing, if the products of the row are not finite.
template <bool kSoft>
SURETY_TARGET inline bool ascend_row(const DualProblem& problem, DualRow& row, const LocalModel& v,
                                     PassSums& sums) {
  const RowProducts at = products_at<kSoft>(row.x, v, problem.threshold);
  if (!(std::abs(at.dot) < kProductMax) || !(at.square < kProductMax)) return false;
  const double step = step_of(problem, row, at, sums);
  if (step == 0) return true;
  if (kSoft || row.x.feature != nullptr) {
    add(row.x, step, v.exact);
  } else {
    rounded_add(row.x, step, v.exact, v.rounded);
  }
  return true;
}

// Visits the first kBlock rows at once (block Gram steps). The model is read and written once for
// all of them. The products of the rows with each other determine how each step changes the margins
// of the later rows. Except for rounding, the steps are equal to those of single visits. Returns
// false, and changes nothing, if the rows have different forms or float cannot hold their products.
// `next` are the rows of the block to prefetch.
SURETY_TARGET inline bool ascend_block(const DualProblem& problem, DualRow* rows,
                                       const DualRow* next, const LocalModel& v, PassSums& sums) {
  for (std::size_t k = 0; k < kBlock; ++k) {
    if (rows[k].x.feature != nullptr || rows[k].x.count != rows[0].x.count) return false;
  }
  const BlockProducts<kBlock> at = block_products(rows, next, v.rounded);
  for (std::size_t k = 0; k < kBlock; ++k) {
    if (!holds_in_float(at.dot[k], at.gram[k][k])) return false;
  }
  double steps[kBlock];
  bool moves = false;
  for (std::size_t k = 0; k < kBlock; ++k) {
    RowProducts own{.dot = at.dot[k], .square = at.gram[k][k]};
    for (std::size_t j = 0; j < k; ++j) own.dot += steps[j] * at.gram[j][k];
    steps[k] = step_of(problem, rows[k], own, sums);
    moves = moves || steps[k] != 0;
  }
  if (moves) block_add(rows, steps, v.exact, v.rounded);
  return true;
}

// Index of the block to prefetch while the block at i is visited: the next block, or one further
// ahead if rows are short, or i itself if there is no such block.
inline std::size_t block_to_come(std::span<const DualRow> rows, std::size_t i) {
  const std::size_t ahead = rows[i].x.count < kLongRow ? kShortAhead : kBlock;
  return i + ahead + kBlock <= rows.size() ? i + ahead : i;
}

template <bool kSoft>
SURETY_TARGET PassSums ascend_as(const DualProblem& problem, std::span<DualRow> rows,
                                 const LocalModel& v) {
  PassSums sums;
  for (std::size_t i = 0; i < rows.size();) {
    if (!kSoft && rows[i].x.feature == nullptr && i + kBlock <= rows.size() &&
        ascend_block(problem, &rows[i], &rows[block_to_come(rows, i)], v, sums)) {
      i += kBlock;
      continue;
    }
    prefetch_ahead(rows.size(), i, [&](std::size_t k) { return rows[k].x; });
    if (!ascend_row<kSoft>(problem, rows[i], v, sums)) {
      sums.broken = &rows[i];
      return sums;
    }
    ++i;
  }
  return sums;
}

SURETY_TARGET PassSums ascend(const DualProblem& problem, std::span<DualRow> rows,
                              const LocalModel& v) {
  return problem.threshold > 0 ? ascend_as<true>(problem, rows, v)
                               : ascend_as<false>(problem, rows, v);
}
