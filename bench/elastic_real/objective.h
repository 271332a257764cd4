// The objective of a linear model, recomputed from files alone: the data as LIBSVM text, and a
// model in LIBLINEAR's format, whoever wrote it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace surety::bench {

struct SparseRow {
  double label = 0;                                    // -1 or +1.
  std::vector<std::pair<std::size_t, double>> values;  // Feature from 0, value.
};

[[nodiscard]] Result<std::vector<SparseRow>> read_rows(const std::filesystem::path& libsvm);

enum class Objective { kLogistic, kHinge, kSquaredHinge };

// The mean loss plus ||w||^2 / (2 n): LIBLINEAR's objective at C = 1, over n. In double.
[[nodiscard]] Result<double> objective_of(const std::filesystem::path& liblinear_model,
                                          const std::vector<SparseRow>& rows, Objective objective);

}  // namespace surety::bench
