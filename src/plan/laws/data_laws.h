// How versions learn on a data fraction between two that were profiled.
//
// Linear in the logarithm of the fraction, law by law: the untrained metric, the floor, the noise
// and spreads, the logarithm of the passes that halve the distance to the floor (with equal
// exponents: of the rate), and 1 / exponent, which takes a power law continuously to geometric
// decay (1 / exponent = 0). Time is linear in the fraction: a part that samples take and a part
// that they do not. Nothing is extrapolated: what is supported, measured and known by seeds is the
// worse of the two.
#pragma once

#include "plan/types.h"

namespace surety::plan {

// A law that only `less` has stays, with its time scaled to the fraction: it errs on the slow side.
// One that only `more` has is left out.
// REQUIRES: less.data_fraction <= fraction <= more.data_fraction; the same versions in both.
// ENSURES: `less` itself at its fraction, `more` at its own; every version of `less` has a law;
// where both curves have the same exponent the metric after any number of passes lies between
// theirs.
[[nodiscard]] Laws interpolate(const Laws& less, const Laws& more, double fraction);

}  // namespace surety::plan
