#include "learn/linear/kernels/glm_kernels.h"

#include "base/check.h"
#include "learn/linear/kernels/glm_kernels_variants.h"

namespace surety::learn {
namespace {

Simd detect_simd() {
#if SURETY_X86_KERNELS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
  if (avx2 && avx512) return Simd::kAvx512;
  if (avx2) return Simd::kAvx2;
#endif
  return Simd::kPortable;
}

}  // namespace

Simd best_simd() {
  static const Simd best = detect_simd();
  return best;
}

const RowKernels& row_kernels(Simd simd) {
  SURETY_CHECK(simd <= best_simd());
#if SURETY_X86_KERNELS
  if (simd == Simd::kAvx512) return kAvx512Kernels;
  if (simd == Simd::kAvx2) return kAvx2Kernels;
#endif
  return kPortableKernels;
}

}  // namespace surety::learn
