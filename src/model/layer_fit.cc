#include "model/layer_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "model/layout.h"

namespace surety::model {
namespace {

// A symmetric matrix, stored by rows; only its lower half is used.
class Cholesky {
 public:
  // The factor L of a = L L', or nullopt if `a` is not positive definite to working precision.
  static std::optional<Cholesky> of(std::vector<double> a, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) {
      const double pivot = a[k * size + k];
      if (!(pivot > 0) || !std::isfinite(pivot)) return std::nullopt;
      const double root = std::sqrt(pivot);
      for (std::size_t i = k; i < size; ++i) a[i * size + k] /= root;
      std::vector<double> column(size);
      for (std::size_t i = k + 1; i < size; ++i) column[i] = a[i * size + k];
      for (std::size_t i = k + 1; i < size; ++i) {
        const double factor = column[i];
        double* row = &a[i * size];
        for (std::size_t j = k + 1; j <= i; ++j) row[j] -= factor * column[j];
      }
    }
    return Cholesky(std::move(a), size);
  }

  // In: the right side b. Out: x with L L' x = b.
  void solve(std::span<double> b) const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] -= at(i, j) * b[j];
      b[i] /= at(i, i);
    }
    for (std::size_t i = size_; i-- > 0;) {
      b[i] /= at(i, i);
      for (std::size_t j = 0; j < i; ++j) b[j] -= at(i, j) * b[i];
    }
  }

 private:
  Cholesky(std::vector<double> lower, std::size_t size) : lower_(std::move(lower)), size_(size) {}
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return lower_[i * size_ + j]; }

  std::vector<double> lower_;
  std::size_t size_ = 0;
};

// The squares of a group plus ridge and noise, without the constant's row and column if the
// constant does not change.
std::vector<double> with_ridge(std::span<const double> squares, std::size_t unknowns,
                               const FitOptions& options) {
  const std::size_t inputs = unknowns - 1;
  const std::size_t used = options.has_constant ? unknowns : inputs;
  double mean = 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    mean += squares[i * unknowns + i] / static_cast<double>(inputs);
  }
  std::vector<double> result(used * used);
  for (std::size_t i = 0; i < used; ++i) {
    for (std::size_t j = 0; j < used; ++j) result[i * used + j] = squares[i * unknowns + j];
    if (i == inputs) continue;
    result[i * used + i] += options.ridge * mean + options.noise * squares[i * unknowns + i];
  }
  return result;
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// The tensor to which a constant is added, and the sign with which it is added.
struct ConstantPlace {
  const TensorSlot* slot = nullptr;
  float sign = 1;
};

const TensorSlot* find_slot(const Layout& layout, std::uint32_t layer, TensorRole role) {
  const auto found = std::ranges::find_if(layout.tensors, [&](const TensorSlot& slot) {
    return slot.layer == layer && slot.role == role;
  });
  return found == layout.tensors.end() ? nullptr : &*found;
}

// Variance of the factors, with mean 1, that a dropout in front of the layer draws; 0 without one.
double noise_before(const NetSpec& spec, std::uint32_t layer) {
  const std::int32_t input = spec.layers[layer].input;
  if (input == kNetworkInput) return 0;
  const Layer& before = spec.layers[static_cast<std::size_t>(input)];
  return before.kind == LayerKind::kDropout ? before.rate / (1 - before.rate) : 0;
}

ConstantPlace place_of_constant(const NetSpec& spec, const Layout& layout, std::uint32_t layer) {
  if (const TensorSlot* bias = find_slot(layout, layer, TensorRole::kBias)) return {bias, 1};
  std::vector<std::uint32_t> readers;
  for (std::uint32_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& reader = spec.layers[i];
    const auto reads = [&](std::int32_t from) { return from == static_cast<std::int32_t>(layer); };
    if (reads(reader.input) || (reader.kind == LayerKind::kAdd && reads(reader.other))) {
      readers.push_back(i);
    }
  }
  if (readers.size() != 1 || spec.layers[readers[0]].kind != LayerKind::kBatchNorm) return {};
  return {find_slot(layout, readers[0], TensorRole::kRunningMean), -1};
}

}  // namespace

std::vector<double> least_squares_change(const LayerSums& sums, const FitOptions& options) {
  const std::size_t unknowns = sums.unknowns();
  const std::size_t used = options.has_constant ? unknowns : sums.inputs;
  SURETY_CHECK(sums.squares.size() == sums.groups * unknowns * unknowns);
  SURETY_CHECK(sums.deviations.size() == sums.groups * sums.outputs * unknowns);
  std::vector<double> change(sums.deviations.size(), 0.0);
  if (!all_finite(sums.squares) || !all_finite(sums.deviations)) return change;
  for (std::size_t group = 0; group < sums.groups; ++group) {
    const std::span<const double> squares(&sums.squares[group * unknowns * unknowns],
                                          unknowns * unknowns);
    const auto factor = Cholesky::of(with_ridge(squares, unknowns, options), used);
    if (!factor) continue;
    for (std::size_t output = 0; output < sums.outputs; ++output) {
      const std::size_t first = (group * sums.outputs + output) * unknowns;
      const std::span<double> solution(&change[first], used);
      std::copy_n(sums.deviations.begin() + static_cast<std::ptrdiff_t>(first), used,
                  solution.begin());
      factor->solve(solution);
      if (!all_finite(solution)) std::ranges::fill(solution, 0.0);
    }
  }
  return change;
}

void fit_layer(const NetSpec& spec, const LayerSums& sums, double ridge, std::span<float> values) {
  const Layout layout = layout_of(spec);
  SURETY_CHECK(values.size() == layout.size);
  const TensorSlot* weight = find_slot(layout, sums.layer, TensorRole::kWeight);
  SURETY_CHECK(weight && weight->size == sums.groups * sums.outputs * sums.inputs);
  const ConstantPlace constant = place_of_constant(spec, layout, sums.layer);
  const std::vector<double> change =
      least_squares_change(sums, {.ridge = ridge,
                                  .noise = noise_before(spec, sums.layer),
                                  .has_constant = constant.slot != nullptr});
  for (std::size_t output = 0; output < sums.groups * sums.outputs; ++output) {
    const double* row = &change[output * sums.unknowns()];
    for (std::size_t i = 0; i < sums.inputs; ++i) {
      values[weight->offset + output * sums.inputs + i] += static_cast<float>(row[i]);
    }
    if (!constant.slot) continue;
    values[constant.slot->offset + output] += constant.sign * static_cast<float>(row[sums.inputs]);
  }
}

}  // namespace surety::model
