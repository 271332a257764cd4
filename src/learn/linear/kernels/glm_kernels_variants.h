// The variants of the kernels; only for glm_kernels.cc. A target attribute compiles each function
// of the x86 variants for its own instruction set, so that all other code of the program runs on
// every x86-64 processor.
#pragma once

#include <cstddef>

#include "learn/linear/kernels/glm_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SURETY_X86_KERNELS 1
#else
#define SURETY_X86_KERNELS 0
#endif

namespace surety::learn {

// Pointers to the values of a block of rows. They are copied, because otherwise a compiler must
// assume that a write to the model may change the rows.
template <std::size_t kRows>
class BlockValues {
 public:
  explicit BlockValues(const DualRow* rows) {
    for (std::size_t k = 0; k < kRows; ++k) at_[k] = rows[k].x.value;
  }
  const float* operator[](std::size_t k) const { return at_[k]; }

 private:
  const float* at_[kRows];
};

// The products of a block of dense rows.
template <std::size_t kRows>
struct BlockProducts {
  double dot[kRows];          // Row k with the model.
  double gram[kRows][kRows];  // Row j with row k, for j <= k.

  // Adds the products of the values from i on, because these are too few for a vector.
  void add_rest(const BlockValues<kRows>& x, const float* w, std::size_t i, std::size_t count) {
    for (; i < count; ++i) {
      for (std::size_t k = 0; k < kRows; ++k) {
        const double value = x[k][i];
        dot[k] += w[i] * value;
        for (std::size_t j = 0; j <= k; ++j) gram[j][k] += x[j][i] * value;
      }
    }
  }
};

// Applies the steps of a block of dense rows to the model's values from i on.
template <std::size_t kRows>
void add_rest(const BlockValues<kRows>& x, const double* steps, std::size_t i, std::size_t count,
              double* w, float* rounded) {
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < kRows; ++k) w[i] += steps[k] * x[k][i];
    rounded[i] = static_cast<float>(w[i]);
  }
}

extern const RowKernels kPortableKernels;
#if SURETY_X86_KERNELS
extern const RowKernels kAvx2Kernels;    // REQUIRES of a use: avx2, fma.
extern const RowKernels kAvx512Kernels;  // REQUIRES of a use: avx512f, avx512vl, avx512dq.
#endif

}  // namespace surety::learn
