#include "learn/linear/kernels/glm_kernels_variants.h"

#if SURETY_X86_KERNELS
// gcc 12 reports that its own headers read an undefined value (gcc bug 105593).
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <cmath>

#include "learn/linear/kernels/glm_prefetch.h"

#define SURETY_TARGET __attribute__((target("avx2,fma")))

namespace surety::learn {
namespace {

constexpr double kProductMax = 1e300;  // Larger products are infinite, or may soon become so.

SURETY_TARGET inline double sum_of(__m256d lanes) {
  const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(lanes), _mm256_extractf128_pd(lanes, 1));
  return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

// The four values of x from i on, and the weights that belong to them.
SURETY_TARGET inline __m256d values_at(const RowView& x, std::size_t i) {
  return _mm256_cvtps_pd(_mm_loadu_ps(x.value + i));
}
SURETY_TARGET inline __m256d weights_at(const RowView& x, std::size_t i, const double* w) {
  if (x.feature == nullptr) return _mm256_loadu_pd(w + i);
  const __m128i feature = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(x.feature + i));
  return _mm256_i32gather_pd(w, feature, sizeof(double));
}

// The weights for four values of the model.
template <bool kSoft>
SURETY_TARGET inline __m256d weights_of(__m256d v, __m256d threshold) {
  if constexpr (kSoft) {
    const __m256d within = _mm256_max_pd(v, _mm256_sub_pd(_mm256_setzero_pd(), threshold));
    return _mm256_sub_pd(v, _mm256_min_pd(within, threshold));
  }
  return v;
}
template <bool kSoft>
SURETY_TARGET inline double weight_of(double v, double threshold) {
  if constexpr (kSoft) return v - std::min(std::max(v, -threshold), threshold);
  return v;
}

template <bool kSoft>
SURETY_TARGET inline RowProducts soft_products(const RowView& x, const double* w,
                                               double threshold) {
  const __m256d limit = _mm256_set1_pd(threshold);
  __m256d dot[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  __m256d square[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  std::size_t i = 0;
  for (; i + 8 <= x.count; i += 8) {
    for (std::size_t k = 0; k < 2; ++k) {
      const __m256d value = values_at(x, i + 4 * k);
      const __m256d weights = weights_of<kSoft>(weights_at(x, i + 4 * k, w), limit);
      dot[k] = _mm256_fmadd_pd(weights, value, dot[k]);
      square[k] = _mm256_fmadd_pd(value, value, square[k]);
    }
  }
  RowProducts sums{.dot = sum_of(_mm256_add_pd(dot[0], dot[1])),
                   .square = sum_of(_mm256_add_pd(square[0], square[1]))};
  for (; i < x.count; ++i) {
    const double v = w[x.feature != nullptr ? x.feature[i] : i];
    sums.dot += weight_of<kSoft>(v, threshold) * x.value[i];
    sums.square += double{x.value[i]} * x.value[i];
  }
  return sums;
}

SURETY_TARGET inline RowProducts products(const RowView& x, const double* w) {
  return soft_products<false>(x, w, 0);
}

SURETY_TARGET inline double sum_of(__m256 lanes) {
  return sum_of(_mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(lanes)),
                              _mm256_cvtps_pd(_mm256_extractf128_ps(lanes, 1))));
}

// Four sums for each product, because a pass over long rows spends its time here.
SURETY_TARGET inline RowProducts rounded_products(const RowView& x, const float* w) {
  __m256 dot[4] = {};
  __m256 square[4] = {};
  std::size_t i = 0;
  for (; i + 32 <= x.count; i += 32) {
    for (std::size_t k = 0; k < 4; ++k) {
      const __m256 value = _mm256_loadu_ps(x.value + i + 8 * k);
      dot[k] = _mm256_fmadd_ps(_mm256_loadu_ps(w + i + 8 * k), value, dot[k]);
      square[k] = _mm256_fmadd_ps(value, value, square[k]);
    }
  }
  RowProducts sums{.dot = sum_of((dot[0] + dot[1]) + (dot[2] + dot[3])),
                   .square = sum_of((square[0] + square[1]) + (square[2] + square[3]))};
  for (; i < x.count; ++i) {
    sums.dot += double{w[i]} * x.value[i];
    sums.square += double{x.value[i]} * x.value[i];
  }
  return sums;
}

SURETY_TARGET inline void rounded_add(const RowView& x, double scale, double* w, float* rounded) {
  const __m256d factor = _mm256_set1_pd(scale);
  std::size_t i = 0;
  for (; i + 4 <= x.count; i += 4) {
    const __m256d sum = _mm256_fmadd_pd(factor, values_at(x, i), _mm256_loadu_pd(w + i));
    _mm256_storeu_pd(w + i, sum);
    _mm_storeu_ps(rounded + i, _mm256_cvtpd_ps(sum));
  }
  for (; i < x.count; ++i) rounded[i] = static_cast<float>(w[i] += scale * x.value[i]);
}

// There is no scatter instruction before AVX-512. Splitting a vector for single stores is not
// faster than the plain loop.
SURETY_TARGET inline void add(const RowView& x, double scale, double* w) {
  if (x.feature != nullptr) {
    for (std::size_t i = 0; i < x.count; ++i) w[x.feature[i]] += scale * x.value[i];
    return;
  }
  const __m256d factor = _mm256_set1_pd(scale);
  std::size_t i = 0;
  for (; i + 4 <= x.count; i += 4) {
    _mm256_storeu_pd(w + i, _mm256_fmadd_pd(factor, values_at(x, i), _mm256_loadu_pd(w + i)));
  }
  for (; i < x.count; ++i) w[i] += scale * x.value[i];
}

// The largest number of rows whose sums fit into registers.
constexpr std::size_t kBlock = 3;

SURETY_TARGET inline BlockProducts<kBlock> block_products(const DualRow* rows, const DualRow* next,
                                                          const float* w) {
  __m256 dot[kBlock] = {};
  __m256 gram[kBlock][kBlock] = {};
  const BlockValues<kBlock> x(rows);
  const BlockValues<kBlock> to_come(next);
  const std::size_t count = rows[0].x.count;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 weights = _mm256_loadu_ps(w + i);
    __m256 value[kBlock];
#pragma GCC unroll 3
    for (std::size_t k = 0; k < kBlock; ++k) {
      __builtin_prefetch(to_come[k] + i, 0, 2);
      value[k] = _mm256_loadu_ps(x[k] + i);
      dot[k] = _mm256_fmadd_ps(weights, value[k], dot[k]);
#pragma GCC unroll 3
      for (std::size_t j = 0; j <= k; ++j) {
        gram[j][k] = _mm256_fmadd_ps(value[j], value[k], gram[j][k]);
      }
    }
  }
  BlockProducts<kBlock> sums;
#pragma GCC unroll 3
  for (std::size_t k = 0; k < kBlock; ++k) {
    sums.dot[k] = sum_of(dot[k]);
#pragma GCC unroll 3
    for (std::size_t j = 0; j <= k; ++j) sums.gram[j][k] = sum_of(gram[j][k]);
  }
  sums.add_rest(x, w, i, count);
  return sums;
}

SURETY_TARGET inline void block_add(const DualRow* rows, const double* steps, double* w,
                                    float* rounded) {
  const BlockValues<kBlock> x(rows);
  const std::size_t count = rows[0].x.count;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256d sum = _mm256_loadu_pd(w + i);
#pragma GCC unroll 3
    for (std::size_t k = 0; k < kBlock; ++k) {
      sum = _mm256_fmadd_pd(_mm256_set1_pd(steps[k]), _mm256_cvtps_pd(_mm_loadu_ps(x[k] + i)), sum);
    }
    _mm256_storeu_pd(w + i, sum);
    _mm_storeu_ps(rounded + i, _mm256_cvtpd_ps(sum));
  }
  add_rest(x, steps, i, count, w, rounded);
}

#include "learn/linear/kernels/glm_ascend.h"

}  // namespace

const RowKernels kAvx2Kernels{products, add, ascend};

}  // namespace surety::learn
#endif
