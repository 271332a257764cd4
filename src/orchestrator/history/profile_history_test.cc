#include "orchestrator/history/profile_history.h"

#include <gtest/gtest.h>

#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace profile_history_test {

proto::JournalRecord evaluated(std::uint32_t pass) {
  proto::JournalRecord record;
  record.mutable_curve_point()->set_version("full");
  record.mutable_curve_point()->set_pass(pass);
  return record;
}

TEST(ProfileHistory, NodesArePaidFromTheFirstJoinUntilTheFirstPassBegins) {
  ProfileHistory history;
  history.first_join_s = 2;
  note_start(history, 5, 3);
  add_measurement(history, evaluated(0), 9);
  add_measurement(history, evaluated(1), 20);
  add_measurement(history, evaluated(0), 30);  // The next profile run has the data already.
  note_start(history, 40, 4);
  ASSERT_EQ(history.finished.starts.size(), 1u);
  EXPECT_EQ(history.finished.starts[0].seconds, 5);
  EXPECT_EQ(history.finished.starts[0].workers, 3u);
  EXPECT_EQ(history.finished.starts[0].paid_seconds, 7);
}

TEST(ProfileHistory, AProfileRunCountsOnlyWhenItHasEnded) {
  ProfileHistory history;
  add_measurement(history, evaluated(0), 1);
  add_measurement(history, evaluated(1), 2);
  EXPECT_TRUE(history.finished.curves.empty());
  proto::JournalRecord done;
  done.mutable_profile_run_done()->set_index(4);
  add_measurement(history, done, 3);
  EXPECT_EQ(history.finished.curves.size(), 2u);
  EXPECT_TRUE(history.done.contains(4));
}

}  // namespace profile_history_test
}  // namespace surety::orchestrator
