// The objective of a linear model, recomputed from files alone: data as LIBSVM text, and a model in
// LIBLINEAR's format, written by any program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace surety::bench {

struct SparseRow {
  double label = 0;  // The label is -1 or +1.
  // Pairs of feature, counted from 0, and value.
  std::vector<std::pair<std::size_t, double>> values;
};

[[nodiscard]] Result<std::vector<SparseRow>> read_rows(const std::filesystem::path& libsvm);

enum class Objective { kLogistic, kHinge, kSquaredHinge };

// The mean loss plus ||w||^2 / (2 n), which is LIBLINEAR's objective at C = 1 divided by n.
// Computed in double.
[[nodiscard]] Result<double> objective_of(const std::filesystem::path& liblinear_model,
                                          const std::vector<SparseRow>& rows, Objective objective);

}  // namespace surety::bench
