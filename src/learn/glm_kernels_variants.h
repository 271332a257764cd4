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

extern const RowKernels kPortableKernels;
#if SURETY_X86_KERNELS
extern const RowKernels kAvx2Kernels;    // REQUIRES of a use: avx2, fma.
extern const RowKernels kAvx512Kernels;  // REQUIRES of a use: avx512f, avx512vl, avx512dq.
#endif

}  // namespace surety::learn
