#include "cocoa.h"

#include <algorithm>
#include <numeric>

#include "learn/linear/glm_line_search.h"

namespace surety::bench {

Cocoa::Cocoa(const TextRows& data, Aggregation aggregation, std::uint64_t seed)
    : data_(data),
      aggregation_(aggregation),
      random_(seed),
      dual_(data.rows(), 0),
      model_(data.features, 0) {}

void Cocoa::visit(std::uint32_t row, double sigma, std::vector<double>& local,
                  std::vector<double>& dual_change) {
  double dot = 0;
  for (std::uint32_t i = data_.begin[row]; i < data_.begin[row + 1]; ++i) {
    dot += local[data_.feature[i]] * data_.value[i];
  }
  const double y = data_.label[row];
  const double before = dual_[row] + dual_change[row];
  // All rows have unit length.
  const double after = std::clamp(before + (1 - y * dot) / sigma, 0.0, 1.0);
  if (after == before) return;
  dual_change[row] = after - dual_[row];
  const double step = sigma * (after - before) * y;
  for (std::uint32_t i = data_.begin[row]; i < data_.begin[row + 1]; ++i) {
    local[data_.feature[i]] += step * data_.value[i];
  }
}

void Cocoa::iterate(std::span<const std::vector<Chunk>> partitions) {
  const bool accelerated = aggregation_ == Aggregation::kAccelerated;
  const double sigma = learn::sigma_of(static_cast<std::uint32_t>(partitions.size()), accelerated);
  std::vector<double> dual_change(dual_.size(), 0);
  std::vector<double> update(model_.size(), 0);
  for (const std::vector<Chunk>& chunks : partitions) {
    std::vector<double> local = model_;
    // Visit the chunks in random order, as the product's task does: in a fixed order, ascent is
    // very slow.
    std::vector<Chunk> visited = chunks;
    random_.shuffle(std::span(visited));
    for (const auto& [first, rows] : visited) {
      std::vector<std::uint32_t> order(rows);
      std::iota(order.begin(), order.end(), first);
      random_.shuffle(std::span(order));
      for (const std::uint32_t row : order) visit(row, sigma, local, dual_change);
    }
    for (std::size_t f = 0; f < update.size(); ++f) update[f] += (local[f] - model_[f]) / sigma;
  }
  // Along the line, D is a parabola: n D = sum of duals - |w|^2 / 2.
  const double rise = std::accumulate(dual_change.begin(), dual_change.end(), 0.0) -
                      std::inner_product(model_.begin(), model_.end(), update.begin(), 0.0);
  const double square = std::inner_product(update.begin(), update.end(), update.begin(), 0.0);
  const bool searches = accelerated && square > 0 && partitions.size() > 1;
  const double peak = searches ? std::clamp(rise / square, 0.0, 1.0) : 1.0;
  const double step = searches ? learn::share_of_peak(iteration_) * peak : peak;
  ++iteration_;
  for (std::size_t i = 0; i < dual_.size(); ++i) dual_[i] += step * dual_change[i];
  for (std::size_t f = 0; f < update.size(); ++f) model_[f] += step * update[f];
}

double Cocoa::gap() const {
  double loss = 0;
  for (std::uint32_t row = 0; row < data_.rows(); ++row) {
    double dot = 0;
    for (std::uint32_t i = data_.begin[row]; i < data_.begin[row + 1]; ++i) {
      dot += model_[data_.feature[i]] * data_.value[i];
    }
    loss += std::max(0.0, 1 - data_.label[row] * dot);
  }
  const double square = std::inner_product(model_.begin(), model_.end(), model_.begin(), 0.0);
  const double duals = std::accumulate(dual_.begin(), dual_.end(), 0.0);
  return (loss + square - duals) / data_.rows();
}

}  // namespace surety::bench
