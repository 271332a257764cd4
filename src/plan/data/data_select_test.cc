// Which prefixes of the chain are offered, and with which laws they are planned.
#include "plan/data/data_select.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/random.h"

namespace surety::plan {
namespace data_select_test {

using ::testing::ElementsAre;

DataSet site(const std::string& name, int label, std::uint64_t samples) {
  DataSet set;
  set.name = name;
  set.samples = samples;
  set.label_histogram[label] = samples;
  return set;
}

// Sites s00, s01, ... with 100 samples each and alternating labels.
std::vector<DataSet> sites(std::size_t count) {
  std::vector<DataSet> data;
  for (std::size_t i = 0; i < count; ++i) {
    data.push_back(site(fmt::format("s{:02}", i), static_cast<int>(i % 2), 100));
  }
  return data;
}

std::vector<double> fractions_of(const std::vector<DataChoice>& choices) {
  std::vector<double> fractions;
  for (const DataChoice& choice : choices) fractions.push_back(choice.fraction);
  return fractions;
}

// The names of the sets in the order of the chain: every prefix of it is profiled.
std::vector<std::string> order_of(const std::vector<DataSet>& data, const DataCosts& costs) {
  std::vector<double> profiled;
  for (int percent = 1; percent <= 100; ++percent) profiled.push_back(percent / 100.0);
  std::vector<std::string> order;
  for (const DataChoice& choice : data_choices(data, profiled, costs)) {
    EXPECT_EQ(choice.names.size(), order.size() + 1);
    for (const std::string& name : choice.names) {
      if (std::ranges::find(order, name) == order.end()) order.push_back(name);
    }
  }
  return order;
}

TEST(DataSelect, NewLabelsComeBeforeMoreOfTheSame) {
  const std::vector<DataSet> data{site("a", 0, 100), site("b", 0, 100), site("c", 1, 100)};
  // First a: 2/3 sqrt(1/2) = 0.47 against 1/3. Then c: 1/3 against 2/3 - 0.47 = 0.20 for b.
  EXPECT_THAT(order_of(data, {}), ElementsAre("a", "c", "b"));
}

TEST(DataSelect, OfTwoSimilarSetsTheMoreExpensiveComesLater) {
  std::vector<DataSet> data{site("a", 0, 100), site("b", 0, 100)};
  data[0].price = 1;
  EXPECT_THAT(order_of(data, {.sample_price = 1e-4}), ElementsAre("b", "a"));
}

TEST(DataSelect, TrainingOnSamplesCostsAlsoWhereTheDataIsFree) {
  // Both cover their own label completely; b has ten times the samples for the same label weight.
  std::vector<DataSet> data{site("b", 1, 100), site("a", 0, 100)};
  data[0].samples = 1000;  // The other samples have labels that no histogram contains.
  EXPECT_THAT(order_of(data, {.sample_price = 1e-4}), ElementsAre("a", "b"));
}

TEST(DataSelect, SetWithoutHistogramIsALabelOfItsOwn) {
  std::vector<DataSet> data{site("a", 0, 100), site("b", 0, 100), site("c", 0, 50)};
  data[2].label_histogram.clear();
  // a: 0.8 sqrt(1/2) / 100 = .0057; c: 0.2 / 50 = .0040; then b: 0.8 (1 - .71) / 100 = .0023.
  EXPECT_THAT(order_of(data, {.sample_price = 1e-6, .pass_price = 1}), ElementsAre("a", "c", "b"));
}

TEST(DataSelect, OrderOfTheInputChangesNothing) {
  std::vector<DataSet> data = sites(20);
  for (std::size_t i = 0; i < data.size(); ++i) data[i].samples += 7 * (i % 3);
  const DataCosts costs{.sample_price = 1e-4, .pass_price = 0.05};
  const std::vector<double> profiled{0.2, 1.0};
  const auto before = data_choices(data, profiled, costs);
  Random random(1);
  random.shuffle(std::span(data));
  const auto after = data_choices(data, profiled, costs);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].names, after[i].names);
    EXPECT_EQ(before[i].fraction, after[i].fraction);
    EXPECT_EQ(before[i].reason, after[i].reason);
  }
}

TEST(DataSelect, NothingBelowTheSmallestProfiledFractionIsOffered) {
  const std::vector<DataSet> data{site("a", 0, 100), site("b", 1, 100), site("c", 0, 100),
                                  site("d", 1, 100)};
  const std::vector<double> all{1.0};
  const std::vector<double> two{0.4, 1.0};
  EXPECT_EQ(data_choices(data, all, {}).size(), 1u);
  const auto choices = data_choices(data, two, {});
  ASSERT_GE(choices.size(), 2u);
  EXPECT_EQ(choices[0].names.size(), 2u);  // One of four sets has less than 40 % of the samples.
  EXPECT_DOUBLE_EQ(choices[0].fraction, 0.5);
  EXPECT_DOUBLE_EQ(choices[0].label_distance, 0);
  EXPECT_EQ(choices[0].profiled_fraction, 0.4);
  EXPECT_EQ(choices[0].profiled_above, std::nullopt);  // The laws are used as measured.
  EXPECT_EQ(choices.back().names.size(), 4u);
  EXPECT_EQ(choices.back().profiled_fraction, 1);
}

TEST(DataSelect, WithoutDataSetsEverythingIsTheOneChoice) {
  const std::vector<double> two{0.4, 1.0};
  const auto choices = data_choices({}, two, {});
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].fraction, 1);
  EXPECT_EQ(choices[0].price, 0);
  EXPECT_TRUE(choices[0].names.empty());
}

TEST(DataSelect, PrefixesAreHalfOnceTwiceAndFourTimesTheBest) {
  // 20 / sqrt(share) passes at 1 + 10 share each: the minimum is at 1 = 10 share.
  const DataCosts costs{.sample_price = 10.0 / 4000, .pass_price = 1, .exponent = 1};
  const std::vector<double> profiled{0.025, 1.0};
  const auto choices = data_choices(sites(40), profiled, costs);
  EXPECT_EQ(fractions_of(choices), (std::vector<double>{0.025, 0.05, 0.1, 0.2, 0.4, 1}));
  EXPECT_EQ(choices[2].profiled_fraction, 0.025);
  EXPECT_EQ(choices[2].profiled_above, 1);
  EXPECT_EQ(choices[2].reason,
            "4 of 40 data sets hold 10 % of the samples; planned between the curves measured on 2 "
            "% and on 100 %");
}

TEST(DataSelect, PrefixLiesBetweenItsNeighboursAmongProfiledFractions) {
  const DataCosts costs{.sample_price = 10.0 / 4000, .pass_price = 1, .exponent = 1};
  const std::vector<double> profiled{0.05, 0.15, 0.3};
  for (const DataChoice& choice : data_choices(sites(40), profiled, costs)) {
    EXPECT_LE(choice.profiled_fraction, choice.fraction);
    if (choice.profiled_above) {
      EXPECT_GT(*choice.profiled_above, choice.fraction);
    }
    if (choice.fraction > 0.3) {
      EXPECT_EQ(choice.profiled_fraction, 0.3);
      EXPECT_EQ(choice.profiled_above, std::nullopt);  // Nothing is extrapolated.
    }
  }
}

TEST(DataSelect, ProfiledFractionsAreAllOfferedAndAtMostSixElse) {
  const DataCosts costs{.sample_price = 10.0 / 4000, .pass_price = 1, .exponent = 1};
  const std::vector<double> profiled{0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0};
  EXPECT_EQ(fractions_of(data_choices(sites(40), profiled, costs)), profiled);
}

TEST(DataSelect, SetTooDearIsOnlyInAllData) {
  std::vector<DataSet> data = sites(10);
  data[3].price = 1e6;
  // 20 / sqrt(share) passes at 1 + 2.5 share each: the best is 4 sets; four times that would be
  // all.
  const DataCosts costs{.sample_price = 2.5 / 1000, .pass_price = 1, .exponent = 1};
  const std::vector<double> profiled{0.2, 1.0};
  const auto choices = data_choices(data, profiled, costs);
  EXPECT_EQ(fractions_of(choices), (std::vector<double>{0.2, 0.4, 0.8, 0.9, 1}));
  for (std::size_t i = 0; i + 1 < choices.size(); ++i) {
    EXPECT_EQ(std::ranges::count(choices[i].names, "s03"), 0) << i;
  }
  EXPECT_EQ(std::ranges::count(choices.back().names, "s03"), 1);
}

TEST(DataSelect, SitesAreSaidWhereThereAreSeveral) {
  std::vector<DataSet> data = sites(4);
  for (std::size_t i = 0; i < data.size(); ++i) data[i].site = i < 2 ? "berlin" : "turin";
  const std::vector<double> profiled{0.5, 1.0};
  EXPECT_EQ(data_choices(data, profiled, {})[0].reason,
            "2 of 4 data sets (at 1 of 2 sites) hold 50 % of the samples; planned with the curves "
            "measured on 50 %");
}

}  // namespace data_select_test
}  // namespace surety::plan
