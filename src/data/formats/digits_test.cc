#include "data/generators/digits.h"

#include <algorithm>
#include <set>

#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace digits_test {

using testing::HasSubstr;

TEST(Digits, ASampleIsAPureFunctionOfSeedAndIndex) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto whole = read_all(fmt::format("digits://?samples=60&seed={}", seed), {}).value();
    const auto part =
        read_all(fmt::format("digits://?samples=7&first=31&seed={}", seed), {}).value();
    const auto begin = whole.samples.u8.begin() + 31 * kDigitPixels;
    EXPECT_TRUE(std::equal(part.samples.u8.begin(), part.samples.u8.end(), begin));
    EXPECT_TRUE(std::equal(part.samples.label.begin(), part.samples.label.end(),
                           whole.samples.label.begin() + 31));
    EXPECT_EQ(draw_digit({.seed = seed}, 31).pixels, draw_digit({.seed = seed}, 31).pixels);
  }
}

TEST(Digits, NoTwoSamplesAndNoTwoSeedsAreAlike) {
  std::set<std::array<std::uint8_t, kDigitPixels>> seen;
  for (std::uint64_t i = 0; i < 300; ++i) seen.insert(draw_digit({.seed = i % 3}, i / 3).pixels);
  EXPECT_EQ(seen.size(), 300u);
}

TEST(Digits, EachRunOfClassesHoldsEachLabelOnceInItsOwnOrder) {
  for (const std::uint32_t classes : {2u, 3u, 10u}) {
    std::set<std::vector<std::uint32_t>> orders;
    for (std::uint64_t run = 0; run < 30; ++run) {
      std::vector<std::uint32_t> labels;
      for (std::uint32_t i = 0; i < classes; ++i) {
        labels.push_back(draw_digit({.classes = classes}, run * classes + i).label);
      }
      orders.insert(labels);
      std::sort(labels.begin(), labels.end());
      for (std::uint32_t i = 0; i < classes; ++i) ASSERT_EQ(labels[i], i);
    }
    EXPECT_GT(orders.size(), 1u);
  }
}

TEST(Digits, LabelNoiseReplacesItsShareOfLabels) {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Digit digit = draw_digit({.label_noise = 0.2}, i);
    const Digit clean = draw_digit({}, i);
    EXPECT_EQ(digit.pixels, clean.pixels);
    EXPECT_EQ(clean.drawn, clean.label);
    wrong += digit.label != digit.drawn;
  }
  EXPECT_NEAR(wrong, 400, 72);  // Tolerance: four standard deviations of 18.
}

TEST(Digits, NoiseMovesPixelsAndAnImageHasInk) {
  const auto ink = [](const Digit& digit) {
    return std::count_if(digit.pixels.begin(), digit.pixels.end(), [](auto p) { return p > 127; });
  };
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_GT(ink(draw_digit({.noise = 0}, i)), 15) << i;
    EXPECT_LT(ink(draw_digit({.noise = 0}, i)), 300) << i;
    EXPECT_NE(draw_digit({.noise = 0}, i).pixels, draw_digit({.noise = 0.5}, i).pixels);
  }
}

TEST(Digits, RefusalsNameKeyFoundAndExpected) {
  const std::pair<const char*, const char*> cases[] = {{"samples=0", "\"0\""},
                                                       {"samples=1e3", "\"1e3\""},
                                                       {"samples=2000000000", "samples"},
                                                       {"seed=-1", "seed"},
                                                       {"noise=1.5", "\"1.5\""},
                                                       {"noise=nan", "noise"},
                                                       {"classes=1", "classes"},
                                                       {"classes=11", "\"11\""},
                                                       {"first=x", "first"},
                                                       {"label_noise=2", "label_noise"},
                                                       {"seed=18446744073709551616", "seed"}};
  for (const auto& [option, part] : cases) {
    const std::string error = error_of(fmt::format("digits://?{}", option), {});
    EXPECT_THAT(error, HasSubstr(part)) << option;
    EXPECT_THAT(error, HasSubstr("expected")) << option;
  }
}

}  // namespace digits_test
}  // namespace surety::data
