// The variants of the kernels, for glm_kernels.cc alone. Each function of the x86 ones is compiled
// for its own instruction set by a target attribute, so that nothing else in the program needs more
// than the baseline.
#pragma once

#include "learn/glm_kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SURETY_X86_KERNELS 1
#else
#define SURETY_X86_KERNELS 0
#endif

namespace surety::learn {

// Where the values of a block of rows are. Copied, because compilers fear that the model which is
// written lies over the rows.
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

// Of a block of dense rows.
template <std::size_t kRows>
struct BlockProducts {
  double dot[kRows];          // With the model.
  double gram[kRows][kRows];  // Of row j with row k, where j <= k.
};

extern const RowKernels kPortableKernels;
#if SURETY_X86_KERNELS
extern const RowKernels kAvx2Kernels;    // REQUIRES of a use: avx2, fma.
extern const RowKernels kAvx512Kernels;  // REQUIRES of a use: avx512f, avx512vl, avx512dq.
#endif

}  // namespace surety::learn
