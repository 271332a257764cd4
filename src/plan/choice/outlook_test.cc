#include "plan/choice/outlook.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace outlook_test {

// A choice with one option.
PoolChoice kept(std::vector<double> by_draw) {
  PoolChoice choice;
  choice.kept = {std::move(by_draw)};
  return choice;
}

TEST(Outlook, AModelWithoutTheMarginIsCertifiedInThreeOfFiveCases) {
  // Half of the jobs stop and are confirmed with 0.95. In another 0.3 the best model has no margin.
  const Outlook outlook = outlook_of(kept({0.5 * 0.95}), 0.95, kept({0.8}), 0.9);
  EXPECT_NEAR(outlook.mean, 0.475 + 0.6 * 0.3, 1e-12);
}

TEST(Outlook, WithoutAMarginThereIsNothingToAdd) {
  EXPECT_EQ(outlook_of(kept({0.3, 0.7}), 1, kept({0.3, 0.7}), 0.9).by_draw,
            (std::vector<double>{0.3, 0.7}));
  // A different option may be the likeliest one without the margin; nothing is subtracted.
  EXPECT_EQ(outlook_of(kept({0.95}), 0.95, kept({0.9}), 0.9).mean, 0.95);
}

TEST(Outlook, ChancesOfDifferentOptionsAreNotAddedUp) {
  PoolChoice stops;
  PoolChoice shows;
  stops.kept = {{0.30}, {0}};
  shows.kept = {{0.35}, {0.9}};
  EXPECT_NEAR(outlook_of(stops, 0.95, shows, 0.9).mean, 0.6 * 0.9, 1e-12);
}

TEST(Outlook, IsAsLowAsTheConfidenceAsks) {
  std::vector<double> chances;
  for (int i = 0; i <= 100; ++i) chances.push_back(0.01 * i);
  const auto low = [&](double confidence) {
    return outlook_of(kept(chances), 1, kept(chances), confidence).low;
  };
  EXPECT_NEAR(low(0.9), 0.10, 1e-9);
  EXPECT_NEAR(low(0.975), 0.025, 1e-9);
  EXPECT_NEAR(outlook_of(kept(chances), 1, kept(chances), 0.9).mean, 0.5, 1e-9);
}

}  // namespace outlook_test
}  // namespace surety::plan
