// Products of rows and vectors, and steps of dual coordinate ascent, as fast as the processor
// allows. The training of a linear model spends its time here.
//
// Data and dual variables are float32, because memory is the bottleneck. The model that the steps
// move, products and sums are double: after a million steps on a float model, the model would no
// longer be the sum of its dual variables. A double model makes a pass over short sparse rows a
// tenth slower. It would double the time of a pass over dense rows, so dense rows are multiplied by
// a copy of the model that is rounded to float. Then the error of a margin is about 1e-7 of |w|
// |x|, and the model is still the sum of its dual variables.
//
// There are three variants: portable C++, AVX2 with FMA, and AVX-512 with gather and scatter. They
// differ only in the order of sums: products by at most count * 2^-52 * sum |w_f x_f|. The result
// of best_simd() decides which variant is used. Pure functions.
#pragma once

#include <cstdint>

#include "learn/linear/kernels/glm_rows.h"

namespace surety::learn {

enum class Simd : std::uint8_t { kPortable, kAvx2, kAvx512 };

// The fastest variant that this processor can run.
[[nodiscard]] Simd best_simd();

// REQUIRES: the processor can run `simd`.
[[nodiscard]] const RowKernels& row_kernels(Simd simd = best_simd());

}  // namespace surety::learn
