// A seeded generator whose stream is part of Surety's results: the same seed gives the same numbers
// on every machine and compiler (std distributions do not).
//
// xoshiro256** (Blackman, Vigna 2018), seeded by splitmix64. Fork one for each component, so that
// the draws of one component never shift those of another.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace surety {

// One step of splitmix64: a good 64-bit mix of its argument.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) {
    for (auto& word : state_) word = seed = mix64(seed);
    origin_ = state_[0];
  }

  // A generator for a part of the work. It is independent of this one, and of how often this one
  // was used.
  [[nodiscard]] constexpr Random fork(std::string_view component, std::uint64_t index = 0) const {
    std::uint64_t seed = mix64(origin_ ^ mix64(index));
    for (const char c : component) seed = mix64(seed ^ static_cast<unsigned char>(c));
    return Random(seed);
  }

  constexpr std::uint64_t next() {
    std::uint64_t* const state = state_.data();  // In debug builds each [] of an array is a call.
    const std::uint64_t result = std::rotl(state[1] * 5, 7) * 9;
    const std::uint64_t t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = std::rotl(state[3], 45);
    return result;
  }

  // Uniform in [0, limit). REQUIRES: limit > 0. Lemire's method with rejection: no bias.
  constexpr std::uint64_t below(std::uint64_t limit) {
    SURETY_CHECK(limit > 0);
    while (true) {
      const unsigned __int128 product = static_cast<unsigned __int128>(next()) * limit;
      const auto low = static_cast<std::uint64_t>(product);
      // The exact threshold is below the limit, and computing it takes a division.
      if (low >= limit || low >= (0 - limit) % limit) {
        return static_cast<std::uint64_t>(product >> 64);
      }
    }
  }

  // Uniform in [0, 1), with 53 bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Standard normal (Box-Muller). One of the pair is discarded, so that the stream stays simple.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  // Shuffles by Fisher-Yates.
  template <typename T>
  constexpr void shuffle(std::span<T> values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(left)]);
    }
  }

 private:
  std::array<std::uint64_t, 4> state_{};
  std::uint64_t origin_ = 0;  // Forks start from it; next() does not change it.
};

}  // namespace surety
