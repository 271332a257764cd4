#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace surety {
namespace random_test {

// xoshiro256** as its authors publish it (prng.di.unimi.it/xoshiro256starstar.c), with access to
// its state. Random is compared with it.
struct Published {
  std::uint64_t s[4];

  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t next() {
    const std::uint64_t result = rotl(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
  }
};

TEST(Mix64, IsSplitmix64) {
  // The published outputs of the generator for seed 1234567; its state grows by the golden ratio.
  EXPECT_EQ(mix64(1234567), 6457827717110365317u);
  EXPECT_EQ(mix64(1234567 + 0x9e3779b97f4a7c15ull), 3203168211198807973u);
}

TEST(Random, PublishedGeneratorGivesItsKnownNumbers) {
  Published published{{1, 2, 3, 4}};
  for (const std::uint64_t expected :
       {11520ull, 0ull, 1509978240ull, 1215971899390074240ull, 1216172134540287360ull,
        607988272756665600ull, 16172922978634559625ull, 8476171486693032832ull}) {
    EXPECT_EQ(published.next(), expected);
  }
}

TEST(Random, IsThePublishedGeneratorSeededByAChainOfMixes) {
  for (const std::uint64_t seed : {0ull, 1ull, 42ull, ~0ull}) {
    Published published{};
    std::uint64_t chain = seed;
    for (std::uint64_t& word : published.s) word = chain = mix64(chain);
    Random random(seed);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(random.next(), published.next());
  }
}

TEST(Random, StreamOfSeedOneIsPartOfOurResults) {
  Random random(1);
  const std::vector<std::uint64_t> found{random.next(), random.next(), random.next()};
  EXPECT_EQ(found, (std::vector<std::uint64_t>{14233695028433725123u, 151843346328975388u,
                                               2778140871569557710u}));
}

TEST(RandomFork, DoesNotDependOnHowOftenItsParentWasUsed) {
  Random parent(7);
  Random before = parent.fork("sim");
  parent.next();
  Random after = parent.fork("sim");
  EXPECT_EQ(before.next(), after.next());
}

TEST(RandomFork, ComponentAndIndexBothChangeTheStream) {
  const Random parent(7);
  std::vector<std::uint64_t> firsts{Random(7).next()};
  for (const char* component : {"", "a", "b", "ab", "ba"}) {
    for (std::uint64_t index = 0; index < 4; ++index) {
      firsts.push_back(parent.fork(component, index).next());
    }
  }
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(std::adjacent_find(firsts.begin(), firsts.end()), firsts.end());
}

// 60,000 throws give each face 10,000 times, with standard deviation 91. The tolerance is five
// deviations.
TEST(RandomBelow, DieIsFair) {
  Random random(3);
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 60'000; ++i) ++counts[random.below(6)];
  ASSERT_EQ(counts.size(), 6u);
  for (const auto& [face, count] : counts) EXPECT_NEAR(count, 10'000, 455) << face;
}

// With the limit 3 * 2^62, a method without rejection returns multiples of 3 twice as often.
TEST(RandomBelow, LargeLimitIsNotBiased) {
  Random random(4);
  int multiples = 0;
  for (int i = 0; i < 9'000; ++i) multiples += random.below(3ull << 62) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(multiples, 3'000, 224);
}

TEST(RandomBelow, OneIsAlwaysZero) {
  Random random(5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
}

TEST(RandomBelow, NothingBelowZero) {
  Random random(5);
  EXPECT_DEATH((void)random.below(0), "limit > 0");
}

TEST(RandomUniform, FillsTheUnitIntervalEvenly) {
  Random random(6);
  double sum = 0;
  double least = 1;
  double most = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double u = random.uniform();
    sum += u;
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.0145);  // The standard deviation is 0.0029.
  EXPECT_GE(least, 0.0);
  EXPECT_LT(least, 0.002);
  EXPECT_LT(most, 1.0);
  EXPECT_GT(most, 0.998);
}

TEST(RandomNormal, HasMeanZeroDeviationOneAndItsTails) {
  Random random(8);
  double sum = 0;
  double squares = 0;
  int beyond = 0;
  const int count = 40'000;
  for (int i = 0; i < count; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    beyond += std::abs(z) > 1.959964 ? 1 : 0;
  }
  EXPECT_NEAR(sum / count, 0, 0.025);
  EXPECT_NEAR(squares / count, 1, 0.036);
  EXPECT_NEAR(beyond / static_cast<double>(count), 0.05, 0.0055);
}

TEST(RandomShuffle, EveryOrderIsEquallyLikely) {
  Random random(9);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 6'000; ++i) {
    std::vector<int> values{1, 2, 3};
    random.shuffle(std::span(values));
    ++orders[values];
  }
  ASSERT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1'000, 145) << order[0] << order[1];
}

TEST(RandomShuffle, NothingToShuffleDrawsNothing) {
  Random random(9);
  std::vector<int> none;
  random.shuffle(std::span(none));
  EXPECT_EQ(random.next(), Random(9).next());
}

}  // namespace random_test
}  // namespace surety
