#include "objective.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/posix/file.h"
#include "learn/linear/model/liblinear_model.h"

namespace surety::bench {
namespace {

double loss_at(double margin, Objective objective) {
  const double slack = std::max(0.0, 1 - margin);
  switch (objective) {
    case Objective::kLogistic:
      return std::log1p(std::exp(-std::abs(margin))) + std::max(0.0, -margin);
    case Objective::kHinge:
      return slack;
    case Objective::kSquaredHinge:
      return slack * slack;
  }
  return 0;
}

}  // namespace

Result<std::vector<SparseRow>> read_rows(const std::filesystem::path& libsvm) {
  std::ifstream file(libsvm);
  std::vector<SparseRow> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    SparseRow row;
    words >> row.label;
    std::size_t feature = 0;
    char colon = 0;
    double value = 0;
    while (words >> feature >> colon >> value) row.values.emplace_back(feature - 1, value);
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return fail(ErrorCode::kInvalidInput, "{}: no rows", libsvm.string());
  return rows;
}

Result<double> objective_of(const std::filesystem::path& liblinear_model,
                            const std::vector<SparseRow>& rows, Objective objective) {
  SURETY_TRY(const std::string text, posix::read_file(liblinear_model));
  SURETY_TRY(const learn::LinearModel model,
             learn::parse_liblinear_model(liblinear_model.string(), text));
  const std::vector<double>& w = model.columns.at(0).weights;
  // A positive margin stands for the first label.
  const double sign = model.labels.at(0) > 0 ? 1 : -1;
  double loss = 0;
  for (const SparseRow& row : rows) {
    double margin = 0;
    for (const auto& [feature, value] : row.values) {
      if (feature < w.size()) margin += w[feature] * value;
    }
    margin *= sign * row.label;
    loss += loss_at(margin, objective);
  }
  double norm = 0;
  for (const double weight : w) norm += weight * weight;
  return (loss + norm / 2) / static_cast<double>(rows.size());
}

}  // namespace surety::bench
