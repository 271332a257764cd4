// The probability that another attempt reaches a better metric than those before it.
//
// Attempts that overfit, or that have made all their passes, do not continue. The laws of learning
// (plan/belief) only fall, so they do not represent the end of such attempts. The best metrics of
// the attempts do: attempts of one job differ only by their seeds.
#pragma once

#include <span>

namespace surety::plan {

// With fewer attempts the probability is not computed.
inline constexpr unsigned kAttemptsToCompare = 3;

// The chance that the best metric of at least one of `more` further attempts is at most `goal`, if
// `bests`, the best metrics of earlier ones, are a sample of one normal distribution whose mean and
// variance are not known (the predictive distribution of the next one is Student's). 1 with fewer
// than kAttemptsToCompare attempts. REQUIRES: metric_se >= 0, more >= 0. O(attempts).
//
// `metric_se`: the standard error of one evaluation. The deviation between attempts is assumed to
// be at least a third of it, because a few attempts may have a smaller deviation by chance.
[[nodiscard]] double chance_of_another(std::span<const double> bests, double goal, double metric_se,
                                       double more);

}  // namespace surety::plan
