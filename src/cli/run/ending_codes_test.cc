#include "cli/run/ending_codes.h"

#include <gtest/gtest.h>

#include "cli/exit_codes.h"

namespace surety::cli {
namespace ending_codes_test {

using orchestrator::Ending;

TEST(EndingCodes, AnEndingComesBackFromItsExitCode) {
  for (const Ending ending : {Ending::kInterrupted, Ending::kPaused, Ending::kBadInput,
                              Ending::kFailed, Ending::kTakenOver}) {
    EXPECT_EQ(ending_with(exit_code(ending, {})), ending);
  }
}

TEST(EndingCodes, TheVerdictDecidesTheCodeOfACompleteRun) {
  orchestrator::RunState state;
  state.record.promise = {.metric = plan::Metric::kAccuracy, .target = 0.9};
  state.record.deadline_s = 1;
  state.record.certified.emplace().metric = 0.8;
  EXPECT_EQ(exit_code(Ending::kComplete, state), kMissed);
  state.record.certified->metric = 0.9;
  EXPECT_EQ(exit_code(Ending::kComplete, state), kKept);
}

TEST(EndingCodes, ACompleteProfileHasSucceededAlthoughItHasNoVerdict) {
  orchestrator::RunState state;
  state.beginning.mode = orchestrator::RunMode::kProfile;
  EXPECT_EQ(exit_code(Ending::kComplete, state), kKept);
}

TEST(EndingCodes, ACodeThatNoEndingHasCountsAsAFailure) {
  EXPECT_EQ(ending_with(kMissed), Ending::kFailed);
  EXPECT_EQ(ending_with(77), Ending::kFailed);
}

}  // namespace ending_codes_test
}  // namespace surety::cli
