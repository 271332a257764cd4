#include "bench/studies/division.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <span>

#include "base/check.h"

namespace surety::bench {
namespace {

double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

}  // namespace

Division draw_halving(Random& random) {
  std::array<std::uint32_t, kParts> order{};
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(std::span<std::uint32_t>(order));
  Division division{0};
  for (std::size_t i = 0; i < kParts / 2; ++i) division.deciding |= 1u << order[i];
  return division;
}

Division halving_of_seed(std::uint32_t seed) {
  Random random = Random(seed).fork("halving");
  return draw_halving(random);
}

Point divide(const Measured& measured, Division division) {
  Sums deciding;
  Sums certifying;
  for (std::size_t i = 0; i < kParts; ++i) {
    (division.deciding >> i & 1 ? deciding : certifying).add(measured.parts[i]);
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
