#include "plan/decision/spending.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace spending_test {

// Two variants with prices of 2 and 5 per second; the data cost 10, and there are 100 s.
Setting setting_of_two() {
  Setting setting;
  setting.variants.resize(2);
  setting.variants[0].price_per_s = 2;
  setting.variants[1].price_per_s = 5;
  setting.deadline_s = 100;
  setting.data_price = 10;
  return setting;
}

TEST(Spending, TheCostIsThatOfTheDataAndOfAllVariants) {
  const Setting setting = setting_of_two();
  Spending spending(setting);
  EXPECT_EQ(spending.cost(), 10);
  spending.spend(3, 0);
  spending.spend(4, 1);
  EXPECT_EQ(spending.seconds(), 7);
  EXPECT_EQ(spending.cost(), 10 + 6 + 20);
  EXPECT_EQ(spending.by_variant()[0].cost, 6);
  EXPECT_EQ(spending.by_variant()[1].cost, 20);
  EXPECT_EQ(spending.seconds_left(), 93);
}

TEST(Spending, APassIsCutOffAtTheDeadlineAndCounts) {
  const Setting setting = setting_of_two();
  Spending spending(setting);
  EXPECT_TRUE(spending.spend_pass(60, 0));
  EXPECT_TRUE(spending.spend_pass(40, 0));
  EXPECT_FALSE(spending.spend_pass(1, 1));
  EXPECT_EQ(spending.seconds(), 100);
  EXPECT_EQ(spending.cost(), 10 + 200);
  EXPECT_EQ(spending.by_variant()[0].passes, 2u);
  EXPECT_EQ(spending.by_variant()[1].passes, 1u);
}

TEST(Spending, AfterTheDeadlineAPassSpendsNothing) {
  const Setting setting = setting_of_two();
  Spending spending(setting);
  spending.spend(120, 0);
  EXPECT_FALSE(spending.spend_pass(5, 0));
  EXPECT_EQ(spending.seconds(), 120);
  EXPECT_EQ(spending.seconds_left(), -20);
}

TEST(Spending, EarlierSpendingBelongsToNoVariant) {
  const Setting setting = setting_of_two();
  Spending spending(setting);
  spending.resume(30, 77);
  spending.spend(1, 0);
  EXPECT_EQ(spending.seconds(), 31);
  EXPECT_EQ(spending.cost(), 79);
  EXPECT_EQ(spending.by_variant()[0].cost, 2);
}

TEST(Spending, MoneyIsLeftOnlyOfABudget) {
  Setting setting = setting_of_two();
  EXPECT_FALSE(Spending(setting).money_left());
  setting.budget = 50;
  Spending spending(setting);
  spending.spend(3, 0);
  EXPECT_EQ(spending.money_left(), 34);
}

}  // namespace spending_test
}  // namespace surety::plan
