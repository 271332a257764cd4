#include "bench/studies/division.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>

#include "base/check.h"
#include "base/random.h"

namespace surety::bench {
namespace {

double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

}  // namespace

const std::vector<Division>& halvings() {
  static const std::vector<Division> all = [] {
    std::vector<Division> found;
    for (std::uint32_t bits = 0; bits < 1u << kQuarters; ++bits) {
      if (std::popcount(bits) == kQuarters / 2) found.push_back({bits});
    }
    return found;
  }();
  return all;
}

Division halving_of_seed(std::uint32_t seed) {
  return halvings()[Random(seed).fork("halving").below(halvings().size())];
}

Point divide(const Measured& measured, Division division) {
  Sums deciding, certifying;
  for (std::size_t i = 0; i < kQuarters; ++i) {
    (division.deciding >> i & 1 ? deciding : certifying).add(measured.quarters[i]);
  }
  SURETY_CHECK(deciding.samples > 0 && certifying.samples > 0);
  return {measured.seed,
          measured.path,
          rounded(deciding.mean()),
          rounded(deciding.mean_se()),
          rounded(certifying.mean()),
          rounded(certifying.mean_se()),
          measured.cpu_s};
}

}  // namespace surety::bench
