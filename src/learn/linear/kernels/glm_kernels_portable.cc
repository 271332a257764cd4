#include <algorithm>
#include <cmath>

#include "learn/linear/kernels/glm_kernels_variants.h"
#include "learn/linear/kernels/glm_prefetch.h"

#define SURETY_TARGET

namespace surety::learn {
namespace {

constexpr double kProductMax = 1e300;  // Larger products are infinite, or may soon become so.

// The weight for a value of the model.
template <bool kSoft>
inline double weight_of(double v, double threshold) {
  if constexpr (kSoft) return v - std::min(std::max(v, -threshold), threshold);
  return v;
}

template <bool kSoft>
RowProducts sparse_products(const RowView& x, const double* w, double threshold) {
  RowProducts sums;
  for (std::size_t i = 0; i < x.count; ++i) {
    sums.dot += weight_of<kSoft>(w[x.feature[i]], threshold) * x.value[i];
    sums.square += double{x.value[i]} * x.value[i];
  }
  return sums;
}

// There are four sums, so that an addition does not wait for the one before.
template <bool kSoft>
RowProducts dense_products(const RowView& x, const double* w, double threshold) {
  double dot[4] = {};
  double square[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= x.count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      dot[k] += weight_of<kSoft>(w[i + k], threshold) * x.value[i + k];
      square[k] += double{x.value[i + k]} * x.value[i + k];
    }
  }
  for (; i < x.count; ++i) {
    dot[0] += weight_of<kSoft>(w[i], threshold) * x.value[i];
    square[0] += double{x.value[i]} * x.value[i];
  }
  return {.dot = (dot[0] + dot[1]) + (dot[2] + dot[3]),
          .square = (square[0] + square[1]) + (square[2] + square[3])};
}

template <bool kSoft>
inline RowProducts soft_products(const RowView& x, const double* w, double threshold) {
  return x.feature != nullptr ? sparse_products<kSoft>(x, w, threshold)
                              : dense_products<kSoft>(x, w, threshold);
}

inline RowProducts products(const RowView& x, const double* w) {
  return soft_products<false>(x, w, 0);
}

inline void add(const RowView& x, double scale, double* w) {
  for (std::size_t i = 0; i < x.count; ++i) {
    w[x.feature != nullptr ? x.feature[i] : i] += scale * x.value[i];
  }
}

// The sums are independent, so that compilers turn them into vector instructions.
RowProducts rounded_products(const RowView& x, const float* w) {
  static constexpr std::size_t kLanes = 16;
  float dot[kLanes] = {};
  float square[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= x.count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      dot[k] += w[i + k] * x.value[i + k];
      square[k] += x.value[i + k] * x.value[i + k];
    }
  }
  RowProducts sums;
  for (std::size_t k = 0; k < kLanes; ++k) {
    sums.dot += dot[k];
    sums.square += square[k];
  }
  for (; i < x.count; ++i) {
    sums.dot += double{w[i]} * x.value[i];
    sums.square += double{x.value[i]} * x.value[i];
  }
  return sums;
}

void rounded_add(const RowView& x, double scale, double* w, float* rounded) {
  for (std::size_t i = 0; i < x.count; ++i) {
    rounded[i] = static_cast<float>(w[i] += scale * x.value[i]);
  }
}

// The number is small, because few registers can be assumed.
constexpr std::size_t kBlock = 2;

BlockProducts<kBlock> block_products(const DualRow* rows, const DualRow* next, const float* w) {
  static constexpr std::size_t kLanes = 8;
  float dot[kBlock][kLanes] = {};
  float square[kBlock][kLanes] = {};
  float cross[kLanes] = {};
  const BlockValues<kBlock> x(rows);
  const BlockValues<kBlock> to_come(next);
  const std::size_t count = rows[0].x.count;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kBlock; ++k) __builtin_prefetch(to_come[k] + i, 0, 2);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float value[kBlock] = {x[0][i + lane], x[1][i + lane]};
      for (std::size_t k = 0; k < kBlock; ++k) {
        dot[k][lane] += w[i + lane] * value[k];
        square[k][lane] += value[k] * value[k];
      }
      cross[lane] += value[0] * value[1];
    }
  }
  BlockProducts<kBlock> sums{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t k = 0; k < kBlock; ++k) {
      sums.dot[k] += dot[k][lane];
      sums.gram[k][k] += square[k][lane];
    }
    sums.gram[0][1] += cross[lane];
  }
  sums.add_rest(x, w, i, count);
  return sums;
}

void block_add(const DualRow* rows, const double* steps, double* w, float* rounded) {
  add_rest(BlockValues<kBlock>(rows), steps, 0, rows[0].x.count, w, rounded);
}

#include "learn/linear/kernels/glm_ascend.h"

}  // namespace

const RowKernels kPortableKernels{products, add, ascend};

}  // namespace surety::learn
