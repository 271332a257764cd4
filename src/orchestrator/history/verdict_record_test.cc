#include "orchestrator/history/verdict_record.h"

#include <gtest/gtest.h>

#include <cmath>

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace verdict_record_test {

certificate::RunRecord kept_run() {
  certificate::RunRecord record;
  record.promise.target = 0.5;
  record.promise.budget = 2;
  record.deadline_s = 60;
  record.certified = {.metric = 0.4, .metric_se = 0.01, .samples = 100, .model_checksum = "ab"};
  record.run_seconds = 50;
  record.training_cost = 1.5;
  return record;
}

TEST(VerdictRecord, SaysWhatWasPromisedAndWhatWasReached) {
  const proto::RunEnded end = verdict_record(kept_run(), "done");
  EXPECT_EQ(end.verdict(), "kept");
  EXPECT_EQ(end.promised().metric(), "validation_loss");
  EXPECT_EQ(end.promised().target(), 0.5);
  EXPECT_EQ(end.promised().deadline_s(), 60);
  EXPECT_EQ(end.promised().budget(), 2);
  EXPECT_EQ(end.reached().metric(), 0.4);
  EXPECT_EQ(end.reached().samples(), 100u);
  EXPECT_EQ(end.run_seconds(), 50);
  EXPECT_EQ(end.cost(), 1.5);
  EXPECT_TRUE(follows(end, kept_run()));
}

TEST(VerdictRecord, DoesNotFollowIfANumberOrTheVerdictWasChanged) {
  const proto::RunEnded end = verdict_record(kept_run(), "done");
  proto::RunEnded changed = end;
  changed.mutable_promised()->set_target(0.4);
  EXPECT_FALSE(follows(changed, kept_run()));
  changed = end;
  changed.mutable_reached()->set_metric(0.3);
  EXPECT_FALSE(follows(changed, kept_run()));
  changed = end;
  changed.set_verdict("missed");
  EXPECT_FALSE(follows(changed, kept_run()));
}

TEST(VerdictRecord, AResultThatIsNotANumberFollowsFromItself) {
  certificate::RunRecord diverged = kept_run();
  diverged.certified->metric = std::nan("");
  EXPECT_TRUE(follows(verdict_record(diverged, "done"), diverged));
  EXPECT_FALSE(follows(verdict_record(diverged, "done"), kept_run()));
}

TEST(VerdictRecord, TheVerdictAloneDoesNotFollow) {
  proto::RunEnded end;
  end.set_reason("done");
  end.set_verdict("kept");
  EXPECT_FALSE(follows(end, kept_run()));
}

}  // namespace verdict_record_test
}  // namespace surety::orchestrator
