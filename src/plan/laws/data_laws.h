// How versions learn on a data fraction between two profiled fractions.
//
// Some values are linear in the logarithm of the fraction, law by law: the untrained metric, the
// floor, the noise and spreads, the logarithm of the passes that halve the distance to the floor
// (with equal exponents this is the rate), and 1 / exponent. With 1 / exponent a power law changes
// continuously to geometric decay (1 / exponent = 0). Time is linear in the fraction: one part is
// proportional to the samples, one is constant. Nothing is extrapolated: the lowest metrics
// that were measured and that are supported, and the numbers of passes and seeds, are those of the
// worse of the two laws.
#pragma once

#include "plan/types.h"

namespace surety::plan {

// A law that only `less` has is kept, with its time scaled to the fraction; the error is on the
// slow side. A law that only `more` has is omitted. REQUIRES: less.data_fraction <= fraction <=
// more.data_fraction; the same versions in both. ENSURES: returns `less` itself at its fraction,
// and `more` at its own; every version of `less` has a law; if both curves have the same exponent,
// the metric after any number of passes lies between theirs.
[[nodiscard]] Laws interpolate(const Laws& less, const Laws& more, double fraction);

}  // namespace surety::plan
