#include "orchestrator/training/fabric_view.h"

#include <gmock/gmock.h>

#include <limits>

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace fabric_view_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<WorkerId> kThree{WorkerId{1}, WorkerId{2}, WorkerId{3}};

proto::StepDone step_with_port(double bytes_per_s) {
  proto::StepDone done;
  for (auto* side : {done.mutable_port()->mutable_out(), done.mutable_port()->mutable_in()}) {
    side->set_burst_bytes_per_s(bytes_per_s);
    side->set_sustained_bytes_per_s(bytes_per_s);
    side->set_is_steady(true);
  }
  return done;
}

TEST(FabricView, SumsFollowASlowPortAndTheLogSaysSoOnce) {
  FabricView view;
  EXPECT_THAT(view.shares_of_sum(kThree), IsEmpty());
  for (const WorkerId worker : kThree) {
    view.observe(worker, step_with_port(worker == kThree[1] ? 2e6 : 1e7));
  }
  EXPECT_THAT(view.take_remarks(), IsEmpty());
  for (int i = 0; i < 2; ++i) {
    const auto shares = view.shares_of_sum(kThree);
    ASSERT_EQ(shares.size(), 3u);
    EXPECT_LT(shares[1], 0.01);
  }
  EXPECT_THAT(view.take_remarks(),
              ElementsAre("worker 2, whose port carries 2 MB/s, adds up 0 % of the model instead "
                          "of 33 %"));
  view.forget(kThree[1]);
  EXPECT_THAT(view.shares_of_sum(kThree), IsEmpty());
  EXPECT_THAT(view.take_remarks(), ElementsAre(HasSubstr("equal parts")));
}

TEST(FabricView, APortThatNoPortCanBeIsIgnored) {
  FabricView view;
  for (const double rate : {-1.0, 1e15, std::numeric_limits<double>::quiet_NaN()}) {
    view.observe(kThree[0], step_with_port(rate));
  }
  EXPECT_THAT(view.shares_of_sum(kThree), IsEmpty());
}

TEST(FabricView, WhatAnExchangeDecidedIsSaid) {
  FabricView view;
  proto::StepDone done;
  done.set_updates_dropped(1);
  done.set_placements(2);
  done.set_placed_why("the port of worker 3 carries 1.2 MB/s" + std::string(10'000, '!'));
  view.observe(kThree[0], done);
  const auto remarks = view.take_remarks();
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[0], "1 update dropped because of staleness");
  EXPECT_THAT(remarks[1], HasSubstr("moved to other workers, 2 times: the port of worker 3"));
  EXPECT_LT(remarks[1].size(), 600u);
  EXPECT_THAT(view.take_remarks(), IsEmpty());
}

}  // namespace fabric_view_test
}  // namespace surety::orchestrator
