#include "plan/pool/agreement.h"

#include <gtest/gtest.h>

namespace surety::plan {
namespace agreement_test {

TEST(Agreement, OneDecisionAloneStatesAndRefusesNothing) {
  Agreement agreement;
  agreement.count(true, false);
  agreement.count(false, true);
  agreement.count(true, false);
  EXPECT_FALSE(agreement.states());
  EXPECT_FALSE(agreement.refuses());
}

TEST(Agreement, TwoDecisionsInARowState) {
  Agreement agreement;
  agreement.count(true, false);
  agreement.count(true, false);
  EXPECT_TRUE(agreement.states());
  EXPECT_FALSE(agreement.refuses());
}

TEST(Agreement, TwoDecisionsInARowRefuse) {
  Agreement agreement;
  agreement.count(false, true);
  agreement.count(false, true);
  EXPECT_TRUE(agreement.refuses());
  agreement.count(false, false);
  EXPECT_FALSE(agreement.refuses());
}

}  // namespace agreement_test
}  // namespace surety::plan
