#include "data/generators/synthetic.h"

#include <cmath>
#include <numeric>

#include "data/formats/open_reader.h"
#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace synthetic_test {

using testing::HasSubstr;

TEST(Synthetic, ASampleIsAPureFunctionOfSeedAndIndex) {
  const auto whole = read_all("synthetic://?samples=60&seed=3", {}).value().samples;
  const auto part = read_all("synthetic://?samples=7&seed=3&first=31", {}).value().samples;
  for (std::size_t i = 0; i < 7; ++i) {
    const std::size_t at = whole.row_begin[31 + i];
    const std::size_t length = whole.row_begin[32 + i] - at;
    ASSERT_EQ(part.row_begin[i + 1] - part.row_begin[i], length);
    for (std::size_t j = 0; j < length; ++j) {
      EXPECT_EQ(part.index[part.row_begin[i] + j], whole.index[at + j]);
      EXPECT_EQ(part.f32[part.row_begin[i] + j], whole.f32[at + j]);
    }
    EXPECT_EQ(part.label[i], whole.label[31 + i]);
  }
  EXPECT_NE(draw_row({.seed = 1}, 5).index, draw_row({.seed = 2}, 5).index);
}

TEST(Synthetic, RowsHaveLengthOneAndRisingIndicesBelowFeatures) {
  const SyntheticOptions options{.features = 50, .nonzeros = 20};
  for (std::uint64_t i = 0; i < 200; ++i) {
    const SyntheticRow row = draw_row(options, i);
    double square = 0;
    for (std::size_t j = 0; j < row.index.size(); ++j) {
      EXPECT_LT(row.index[j], 50u);
      if (j > 0) {
        EXPECT_GT(row.index[j], row.index[j - 1]);
      }
      square += double{row.value[j]} * row.value[j];
    }
    EXPECT_NEAR(square, 1, 1e-5);
    EXPECT_LE(row.index.size(), 30u);
  }
}

TEST(Synthetic, LabelNoiseTurnsItsShareOfLabelsRound) {
  int turned = 0;
  int positive = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const SyntheticRow row = draw_row({.nonzeros = 10, .label_noise = 0.2}, i);
    turned += row.label != row.truth;
    positive += row.truth > 0;
  }
  EXPECT_NEAR(turned, 400, 72);      // Tolerance: four standard deviations of 18.
  EXPECT_NEAR(positive, 1000, 600);  // No class is rare.
}

TEST(Synthetic, SkippingIsReadingWithoutKeeping) {
  const auto url = parse_url("synthetic://?samples=10").value();
  const auto reader = open_reader(url, {}).value();
  Samples samples;
  EXPECT_EQ(reader->skip(8).value(), 8u);
  EXPECT_EQ(reader->read(100, samples).value(), 2u);
  EXPECT_EQ(samples.label[1], draw_row({}, 9).label);
  EXPECT_EQ(reader->schema().features, 5000u);
}

TEST(Synthetic, OptionsOutOfRangeAreRefused) {
  for (const char* url : {"synthetic://?samples=0", "synthetic://?features=100000001",
                          "synthetic://?nonzeros=0", "synthetic://?label_noise=2"}) {
    const auto reader = open_reader(parse_url(url).value(), {});
    ASSERT_FALSE(reader) << url;
    EXPECT_THAT(reader.error().message, HasSubstr("expected a number from"));
  }
}

}  // namespace synthetic_test
}  // namespace surety::data
