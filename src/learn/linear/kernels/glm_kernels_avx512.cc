#include "learn/linear/kernels/glm_kernels_variants.h"

#if SURETY_X86_KERNELS
// gcc 12 reports that its own headers read an undefined value (gcc bug 105593).
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <algorithm>
#include <cmath>

#include "learn/linear/kernels/glm_prefetch.h"

#define SURETY_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma")))

namespace surety::learn {
namespace {

constexpr double kProductMax = 1e300;  // Larger products are infinite, or may soon become so.

// Mask of the eight lanes from i on: set for the lanes that the row has.
SURETY_TARGET inline __mmask8 lanes_at(const RowView& x, std::size_t i) {
  return x.count - i >= 8 ? static_cast<__mmask8>(0xff)
                          : static_cast<__mmask8>((1u << (x.count - i)) - 1);
}
SURETY_TARGET inline __m512d values_at(const RowView& x, std::size_t i, __mmask8 lanes) {
  return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, x.value + i));
}
SURETY_TARGET inline __m256i features_at(const RowView& x, std::size_t i, __mmask8 lanes) {
  return _mm256_maskz_loadu_epi32(lanes, x.feature + i);
}
SURETY_TARGET inline __m512d gather(const double* w, __m256i feature, __mmask8 lanes) {
  return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), lanes, feature, w, sizeof(double));
}

// The weights for eight values of the model.
template <bool kSoft>
SURETY_TARGET inline __m512d weights_of(__m512d v, __m512d threshold) {
  if constexpr (kSoft) {
    const __m512d within = _mm512_max_pd(v, _mm512_sub_pd(_mm512_setzero_pd(), threshold));
    return _mm512_sub_pd(v, _mm512_min_pd(within, threshold));
  }
  return v;
}

template <bool kSoft>
SURETY_TARGET inline RowProducts sparse_products(const RowView& x, const double* w,
                                                 __m512d threshold) {
  __m512d dot = _mm512_setzero_pd();
  __m512d square = _mm512_setzero_pd();
  for (std::size_t i = 0; i < x.count; i += 8) {
    const __mmask8 lanes = lanes_at(x, i);
    const __m512d value = values_at(x, i, lanes);
    const __m512d v = gather(w, features_at(x, i, lanes), lanes);
    dot = _mm512_fmadd_pd(weights_of<kSoft>(v, threshold), value, dot);
    square = _mm512_fmadd_pd(value, value, square);
  }
  return {.dot = _mm512_reduce_add_pd(dot), .square = _mm512_reduce_add_pd(square)};
}

// There are two sums, so that an addition does not wait for the one before.
template <bool kSoft>
SURETY_TARGET inline RowProducts dense_products(const RowView& x, const double* w,
                                                __m512d threshold) {
  __m512d dot[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
  __m512d square[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
  std::size_t i = 0;
  for (; i + 16 <= x.count; i += 16) {
    for (std::size_t k = 0; k < 2; ++k) {
      const __m512d value = _mm512_cvtps_pd(_mm256_loadu_ps(x.value + i + 8 * k));
      const __m512d v = _mm512_loadu_pd(w + i + 8 * k);
      dot[k] = _mm512_fmadd_pd(weights_of<kSoft>(v, threshold), value, dot[k]);
      square[k] = _mm512_fmadd_pd(value, value, square[k]);
    }
  }
  for (; i < x.count; i += 8) {
    const __mmask8 lanes = lanes_at(x, i);
    const __m512d value = values_at(x, i, lanes);
    const __m512d v = _mm512_maskz_loadu_pd(lanes, w + i);
    dot[0] = _mm512_fmadd_pd(weights_of<kSoft>(v, threshold), value, dot[0]);
    square[0] = _mm512_fmadd_pd(value, value, square[0]);
  }
  return {.dot = _mm512_reduce_add_pd(_mm512_add_pd(dot[0], dot[1])),
          .square = _mm512_reduce_add_pd(_mm512_add_pd(square[0], square[1]))};
}

template <bool kSoft>
SURETY_TARGET inline RowProducts soft_products(const RowView& x, const double* w,
                                               double threshold) {
  const __m512d limit = _mm512_set1_pd(threshold);
  return x.feature != nullptr ? sparse_products<kSoft>(x, w, limit)
                              : dense_products<kSoft>(x, w, limit);
}

SURETY_TARGET inline RowProducts products(const RowView& x, const double* w) {
  return soft_products<false>(x, w, 0);
}

// Four sums for each product, because a pass over long rows spends its time here.
SURETY_TARGET inline RowProducts rounded_products(const RowView& x, const float* w) {
  __m512 dot[4] = {};
  __m512 square[4] = {};
  std::size_t i = 0;
  for (; i + 64 <= x.count; i += 64) {
    for (std::size_t k = 0; k < 4; ++k) {
      const __m512 value = _mm512_loadu_ps(x.value + i + 16 * k);
      dot[k] = _mm512_fmadd_ps(_mm512_loadu_ps(w + i + 16 * k), value, dot[k]);
      square[k] = _mm512_fmadd_ps(value, value, square[k]);
    }
  }
  for (; i < x.count; i += 16) {
    const auto lanes = static_cast<__mmask16>((1u << std::min<std::size_t>(x.count - i, 16)) - 1);
    const __m512 value = _mm512_maskz_loadu_ps(lanes, x.value + i);
    dot[0] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(lanes, w + i), value, dot[0]);
    square[0] = _mm512_fmadd_ps(value, value, square[0]);
  }
  return {.dot = _mm512_reduce_add_ps((dot[0] + dot[1]) + (dot[2] + dot[3])),
          .square = _mm512_reduce_add_ps((square[0] + square[1]) + (square[2] + square[3]))};
}

SURETY_TARGET inline void rounded_add(const RowView& x, double scale, double* w, float* rounded) {
  const __m512d factor = _mm512_set1_pd(scale);
  std::size_t i = 0;
  for (; i + 8 <= x.count; i += 8) {
    const __m512d value = _mm512_cvtps_pd(_mm256_loadu_ps(x.value + i));
    const __m512d sum = _mm512_fmadd_pd(factor, value, _mm512_loadu_pd(w + i));
    _mm512_storeu_pd(w + i, sum);
    _mm256_storeu_ps(rounded + i, _mm512_cvtpd_ps(sum));
  }
  for (; i < x.count; ++i) rounded[i] = static_cast<float>(w[i] += scale * x.value[i]);
}

SURETY_TARGET inline void add(const RowView& x, double scale, double* w) {
  const __m512d factor = _mm512_set1_pd(scale);
  for (std::size_t i = 0; i < x.count; i += 8) {
    const __mmask8 lanes = lanes_at(x, i);
    const __m512d value = values_at(x, i, lanes);
    if (x.feature == nullptr) {
      const __m512d weight = _mm512_maskz_loadu_pd(lanes, w + i);
      _mm512_mask_storeu_pd(w + i, lanes, _mm512_fmadd_pd(factor, value, weight));
    } else {  // The features of a row differ, so the lanes of a scatter never collide.
      const __m256i feature = features_at(x, i, lanes);
      const __m512d sum = _mm512_fmadd_pd(factor, value, gather(w, feature, lanes));
      _mm512_mask_i32scatter_pd(w, lanes, feature, sum, sizeof(double));
    }
  }
}

// The largest number of rows whose sums fit into registers.
constexpr std::size_t kBlock = 4;

SURETY_TARGET inline BlockProducts<kBlock> block_products(const DualRow* rows, const DualRow* next,
                                                          const float* w) {
  __m512 dot[kBlock] = {};
  __m512 gram[kBlock][kBlock] = {};
  const BlockValues<kBlock> x(rows);
  const BlockValues<kBlock> to_come(next);
  const std::size_t count = rows[0].x.count;
  for (std::size_t i = 0; i < count; i += 16) {
    const auto lanes = static_cast<__mmask16>((1u << std::min<std::size_t>(count - i, 16)) - 1);
    const __m512 weights = _mm512_maskz_loadu_ps(lanes, w + i);
    __m512 value[kBlock];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kBlock; ++k) {
      __builtin_prefetch(to_come[k] + i, 0, 2);
      value[k] = _mm512_maskz_loadu_ps(lanes, x[k] + i);
      dot[k] = _mm512_fmadd_ps(weights, value[k], dot[k]);
#pragma GCC unroll 4
      for (std::size_t j = 0; j <= k; ++j) {
        gram[j][k] = _mm512_fmadd_ps(value[j], value[k], gram[j][k]);
      }
    }
  }
  BlockProducts<kBlock> sums;
#pragma GCC unroll 4
  for (std::size_t k = 0; k < kBlock; ++k) {
    sums.dot[k] = _mm512_reduce_add_ps(dot[k]);
#pragma GCC unroll 4
    for (std::size_t j = 0; j <= k; ++j) sums.gram[j][k] = _mm512_reduce_add_ps(gram[j][k]);
  }
  return sums;
}

SURETY_TARGET inline void block_add(const DualRow* rows, const double* steps, double* w,
                                    float* rounded) {
  const BlockValues<kBlock> x(rows);
  const std::size_t count = rows[0].x.count;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m512d sum = _mm512_loadu_pd(w + i);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kBlock; ++k) {
      const __m512d value = _mm512_cvtps_pd(_mm256_loadu_ps(x[k] + i));
      sum = _mm512_fmadd_pd(_mm512_set1_pd(steps[k]), value, sum);
    }
    _mm512_storeu_pd(w + i, sum);
    _mm256_storeu_ps(rounded + i, _mm512_cvtpd_ps(sum));
  }
  add_rest(x, steps, i, count, w, rounded);
}

#include "learn/linear/kernels/glm_ascend.h"

}  // namespace

const RowKernels kAvx512Kernels{products, add, ascend};

}  // namespace surety::learn
#endif
